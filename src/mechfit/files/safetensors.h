#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mechfit {

// Named arrays and a map of text, in the safetensors format: eight bytes with the length of the
// header (little endian), the header in JSON, then the arrays one after the other, row-major,
// little endian. Here only F64 and I64, and every number finite.
struct Tensor {
  std::vector<std::int64_t> shape;
  std::variant<std::vector<double>, std::vector<std::int64_t>> values;
};

struct Safetensors {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
};

// `name` is the file's name in messages. Whatever the bytes are: the whole of them is understood,
// or an InputError says what is wrong.
Safetensors parse_safetensors(std::string_view bytes, const std::string& name);

// The same content gives the same bytes.
std::string format_safetensors(const Safetensors& file);

// What a reader of a certain kind of file expects, or an InputError. A length of -1 in `shape` may
// be anything.
const std::vector<double>& expect_doubles(const Safetensors& file, const std::string& tensor,
                                          const std::vector<std::int64_t>& shape,
                                          const std::string& name);
const std::string& expect_metadata(const Safetensors& file, std::string_view key,
                                   const std::string& name);

// The metadata `checksum`: CRC-32 of what the file says, however it is laid out. First the metadata
// but the checksum itself, key and text, then the tensors: name, shape ("2 3 "), raw array; both in
// the order of their names. Every text ends with a zero byte.
std::string checksum(const Safetensors& file);

}  // namespace mechfit
