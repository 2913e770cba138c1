#include "mechfit/files/safetensors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "mechfit/base/error.h"
#include "tests/support/random_log.h"

namespace mechfit {
namespace {

Safetensors example(std::uint64_t seed) {
  Random random(seed);
  Safetensors file;
  file.metadata = {{"family", "smm"}, {"note", "\"quoted\" \xC3\xA4\n"}};
  const int tensors = static_cast<int>(random.below(4));
  for (int i = 0; i < tensors; ++i) {
    Tensor tensor;
    const auto rows = static_cast<std::int64_t>(random.below(4)), columns = std::int64_t{3};
    tensor.shape = {rows, columns};
    if (random.below(2) == 0) {
      std::vector<double> values;
      for (int k = 0; k < rows * columns; ++k) values.push_back(any_finite(random));
      tensor.values = values;
    } else {
      std::vector<std::int64_t> values;
      for (int k = 0; k < rows * columns; ++k)
        values.push_back(static_cast<std::int64_t>(random.bits()));
      tensor.values = values;
    }
    file.tensors["tensor" + std::to_string(i)] = tensor;
  }
  return file;
}

std::string raw(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

std::string bytes_of(double x) { return {reinterpret_cast<const char*>(&x), sizeof x}; }

std::string message_of(const std::string& bytes) {
  try {
    parse_safetensors(bytes, "m.safetensors");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

RC_GTEST_PROP(Safetensors, ComeBackBitByBit, (std::uint64_t seed)) {
  const std::string bytes = format_safetensors(example(seed));
  RC_ASSERT(bytes == format_safetensors(parse_safetensors(bytes, "m")));
}

RC_GTEST_PROP(Safetensors, ADamagedFileIsUnderstoodOrRefused,
              (std::uint64_t seed, std::vector<std::pair<std::uint16_t, std::uint8_t>> damage)) {
  std::string bytes = format_safetensors(example(seed));
  for (const auto& [at, value] : damage) bytes[at % bytes.size()] = static_cast<char>(value);
  message_of(bytes);
  message_of(bytes.substr(0, seed % bytes.size()));
}

TEST(Safetensors, EveryTruncationIsRefused) {
  Safetensors file = example(1);
  file.tensors["last"] = {{2}, std::vector<double>{1.0, 2.0}};
  const std::string bytes = format_safetensors(file);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(message_of(bytes.substr(0, size)), "no error") << size;
}

TEST(Safetensors, ExpectationsNameTheTensorAndTheShape) {
  Safetensors file;
  file.tensors["w"] = {{2, 1}, std::vector<double>{1.0, 2.0}};
  EXPECT_EQ(expect_doubles(file, "w", {-1, 1}, "m").size(), 2u);
  const auto message = [&](auto f) -> std::string {
    try {
      f();
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([&] {
              expect_doubles(file, "w", {-1, 2}, "m");
            }),
            "m: tensor 'w' has shape [2, 1], expected [any, 2]");
  EXPECT_EQ(message([&] { expect_doubles(file, "b", {}, "m"); }), "m: no tensor 'b'");
  EXPECT_EQ(message([&] { expect_metadata(file, "family", "m"); }), "m: no metadata 'family'");
}

TEST(Safetensors, SayWhatIsWrong) {
  const std::string one = bytes_of(1.0);
  const auto tensor = [](const std::string& dtype, const std::string& shape,
                         const std::string& at) {
    return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + at + "}";
  };
  const struct {
    std::string bytes, message;
  } cases[] = {
      {"", "m.safetensors: not a safetensors file, it has no header"},
      {std::string(8, '\xFF'),
       "m.safetensors: header of 18446744073709551615 bytes in a file of 8, not a safetensors file "
       "or "
       "cut short"},
      {raw("[]", ""), "m.safetensors: header is not a JSON object"},
      {raw("{", ""), "m.safetensors: header is not a JSON object"},
      {raw(std::string(100000, '['), ""), "m.safetensors: header is not a JSON object"},
      {raw(R"({"__metadata__":3})", ""), "m.safetensors: __metadata__ is not a map of text"},
      {raw(R"({"__metadata__":{"a":3}})", ""), "m.safetensors: metadata \"a\" is not text"},
      {raw(R"({"w":1})", ""),
       "m.safetensors: tensor \"w\": expected dtype, shape and data_offsets"},
      {raw("{\"w\":" + tensor("F64", "[-1]", "[0,8]") + "}", one),
       "m.safetensors: tensor \"w\": expected dtype, shape and data_offsets"},
      {raw("{\"w\":" + tensor("F32", "[2]", "[0,8]") + "}", one),
       "m.safetensors: tensor \"w\": dtype \"F32\", expected F64 or I64"},
      {raw("{\"w\":" + tensor("F64", "[2]", "[0,16]") + "}", one),
       "m.safetensors: tensor \"w\": bytes 0 to 16 of 8, the file is cut short or damaged"},
      {raw("{\"w\":" + tensor("F64", "[2]", "[0,8]") + "}", one),
       "m.safetensors: tensor \"w\": shape [2] does not fit its 8 bytes"},
      {raw("{\"w\":" + tensor("F64", "[4611686018427387904,4]", "[0,0]") + "}", ""),
       "m.safetensors: tensor \"w\": shape [4611686018427387904, 4] does not fit its 0 bytes"},
      {raw("{\"w\":" + tensor("F64", "[1]", "[0,8]") + ",\"w\":" + tensor("F64", "[1]", "[0,8]") +
               "}",
           one),
       "m.safetensors: two entries named \"w\""},
      {raw("{\"v\":" + tensor("F64", "[1]", "[0,8]") + ",\"w\":" + tensor("F64", "[1]", "[0,8]") +
               "}",
           one),
       "m.safetensors: tensors overlap at byte 0"},
      {raw("{\"w\":" + tensor("F64", "[1]", "[8,16]") + "}", one + one),
       "m.safetensors: tensors leave a hole at byte 8"},
      {raw("{\"w\":" + tensor("F64", "[1]", "[0,8]") + "}", one + one),
       "m.safetensors: 8 bytes behind the last tensor"},
      {raw("{\"w\":" + tensor("F64", "[1]", "[0,8]") + "}", bytes_of(NAN)),
       "m.safetensors: tensor \"w\": number 0 is not finite"},
  };
  for (const auto& [bytes, message] : cases) EXPECT_EQ(message_of(bytes), message);
}

}  // namespace
}  // namespace mechfit
