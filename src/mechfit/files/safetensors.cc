#include "mechfit/files/safetensors.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

#include "mechfit/base/error.h"
#include "mechfit/files/json.h"
#include "mechfit/files/number.h"

namespace mechfit {
namespace {

using nlohmann::json;
static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kLengthSize = 8;
constexpr std::size_t kItemSize = 8;  // of F64 and I64

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out = "[";
  for (const auto d : shape)
    out += (out.size() > 1 ? ", " : "") + (d < 0 ? std::string("any") : std::to_string(d));
  return out + "]";
}

class Parser {
 public:
  Parser(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Safetensors parse() {
    if (bytes_.size() < kLengthSize) fail("not a safetensors file, it has no header");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_.data(), kLengthSize);
    if (length > bytes_.size() - kLengthSize)
      fail("header of " + std::to_string(length) + " bytes in a file of " +
           std::to_string(bytes_.size()) + ", not a safetensors file or cut short");
    const json header = parse_header(bytes_.substr(kLengthSize, length));
    data_ = bytes_.substr(kLengthSize + length);

    Safetensors file;
    for (const auto& [key, value] : header.items()) {
      if (key == "__metadata__")
        read_metadata(value, file.metadata);
      else
        read_tensor(key, value, file.tensors[key]);
    }
    check_cover();
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

  json parse_header(std::string_view text) const {
    std::set<std::string> keys;
    std::string twice;
    const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
      if (depth == 1 && event == json::parse_event_t::key)
        if (!keys.insert(parsed.get<std::string>()).second) twice = parsed.get<std::string>();
      return true;
    };
    if (too_deep(text)) fail("header is not a JSON object");
    json header = json::parse(text, watch, /*allow_exceptions=*/false);
    if (!header.is_object()) fail("header is not a JSON object");
    if (!twice.empty()) fail("two entries named " + in_quotes(twice));
    return header;
  }

  void read_metadata(const json& value, std::map<std::string, std::string>& metadata) const {
    if (!value.is_object()) fail("__metadata__ is not a map of text");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail("metadata " + in_quotes(key) + " is not text");
      metadata[key] = text.get<std::string>();
    }
  }

  // A JSON array of sizes.
  bool read_sizes(const json& from, std::vector<std::int64_t>& sizes) const {
    if (!from.is_array()) return false;
    for (const auto& size : from) {
      if (!size.is_number_unsigned() || size.get<std::uint64_t>() > INT64_MAX) return false;
      sizes.push_back(size.get<std::int64_t>());
    }
    return true;
  }

  void read_tensor(const std::string& key, const json& value, Tensor& tensor) {
    const std::string what = "tensor " + in_quotes(key);
    std::vector<std::int64_t> offsets;
    if (!value.is_object() || value.size() != 3 || !value.contains("dtype") ||
        !value.contains("shape") || !value.contains("data_offsets") ||
        !value["dtype"].is_string() || !read_sizes(value["shape"], tensor.shape) ||
        !read_sizes(value["data_offsets"], offsets) || offsets.size() != 2)
      fail(what + ": expected dtype, shape and data_offsets");
    const std::string dtype = value["dtype"].get<std::string>();
    if (dtype != "F64" && dtype != "I64")
      fail(what + ": dtype " + in_quotes(dtype) + ", expected F64 or I64");

    const auto begin = static_cast<std::uint64_t>(offsets[0]);
    const auto end = static_cast<std::uint64_t>(offsets[1]);
    if (begin > end || end > data_.size())
      fail(what + ": bytes " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
           std::to_string(data_.size()) + ", the file is cut short or damaged");
    std::uint64_t size = kItemSize;
    bool overflow = false;
    for (const auto d : tensor.shape)
      overflow |= __builtin_mul_overflow(size, static_cast<std::uint64_t>(d), &size);
    if (overflow || size != end - begin)
      fail(what + ": shape " + shape_text(tensor.shape) + " does not fit its " +
           std::to_string(end - begin) + " bytes");
    ranges_.push_back({begin, end});

    const std::string_view raw = data_.substr(begin, end - begin);
    const auto copy = [&](auto values) {
      values.resize(raw.size() / kItemSize);
      if (!raw.empty()) std::memcpy(values.data(), raw.data(), raw.size());
      return values;
    };
    if (dtype == "I64") {
      tensor.values = copy(std::vector<std::int64_t>());
      return;
    }
    auto values = copy(std::vector<double>());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i]))
        fail(what + ": number " + std::to_string(i) + " is not finite");
    tensor.values = std::move(values);
  }

  // Every byte of data belongs to one tensor.
  void check_cover() {
    std::sort(ranges_.begin(), ranges_.end());
    std::uint64_t at = 0;
    for (const auto& [begin, end] : ranges_) {
      if (begin != at)
        fail(std::string("tensors ") + (begin < at ? "overlap" : "leave a hole") + " at byte " +
             std::to_string(begin));
      at = end;
    }
    if (at != data_.size())
      fail(std::to_string(data_.size() - at) + " bytes behind the last tensor");
  }

  std::string_view bytes_, data_;
  const std::string& name_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

}  // namespace

Safetensors parse_safetensors(std::string_view bytes, const std::string& name) {
  return Parser(bytes, name).parse();
}

std::string format_safetensors(const Safetensors& file) {
  json header = json::object();
  if (!file.metadata.empty()) header["__metadata__"] = file.metadata;
  std::string data;
  for (const auto& [key, tensor] : file.tensors) {
    std::int64_t count = 1;
    for (const auto d : tensor.shape) count *= d;
    const std::size_t begin = data.size();
    std::visit(
        [&, &name = key](const auto& values) {
          MECHFIT_CHECK(static_cast<std::int64_t>(values.size()) == count, name);
          data.append(reinterpret_cast<const char*>(values.data()), values.size() * kItemSize);
        },
        tensor.values);
    if (const auto* doubles = std::get_if<std::vector<double>>(&tensor.values))
      for (const double x : *doubles) MECHFIT_CHECK(std::isfinite(x), key);
    header[key] = {{"dtype", tensor.values.index() == 0 ? "F64" : "I64"},
                   {"shape", tensor.shape},
                   {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + kLengthSize - 1) / kLengthSize * kLengthSize, ' ');  // aligns the data
  const std::uint64_t length = text.size();
  std::string out(reinterpret_cast<const char*>(&length), kLengthSize);
  return out + text + data;
}

const std::vector<double>& expect_doubles(const Safetensors& file, const std::string& tensor,
                                          const std::vector<std::int64_t>& shape,
                                          const std::string& name) {
  const auto found = file.tensors.find(tensor);
  if (found == file.tensors.end()) throw InputError(name + ": no tensor '" + tensor + "'");
  const auto* values = std::get_if<std::vector<double>>(&found->second.values);
  if (values == nullptr)
    throw InputError(name + ": tensor '" + tensor + "' holds integers, expected F64");
  const auto& have = found->second.shape;
  const bool fits = std::equal(have.begin(), have.end(), shape.begin(), shape.end(),
                               [](auto a, auto b) { return b < 0 || a == b; });
  if (!fits)
    throw InputError(name + ": tensor '" + tensor + "' has shape " + shape_text(have) +
                     ", expected " + shape_text(shape));
  return *values;
}

const std::string& expect_metadata(const Safetensors& file, std::string_view key,
                                   const std::string& name) {
  const auto found = file.metadata.find(std::string(key));
  if (found == file.metadata.end())
    throw InputError(name + ": no metadata '" + std::string(key) + "'");
  return found->second;
}

std::string checksum(const Safetensors& file) {
  uLong crc = crc32(0, nullptr, 0);
  const auto add = [&](const void* bytes, std::size_t size) {
    // A null pointer would start a new checksum.
    if (size > 0) crc = crc32_z(crc, static_cast<const Bytef*>(bytes), size);
  };
  const auto add_text = [&](const std::string& text) { add(text.c_str(), text.size() + 1); };
  for (const auto& [key, text] : file.metadata) {
    if (key == "checksum") continue;
    add_text(key);
    add_text(text);
  }
  for (const auto& [key, tensor] : file.tensors) {
    add_text(key);
    std::string shape;
    for (const auto d : tensor.shape) shape += std::to_string(d) + " ";
    add_text(shape);
    std::visit([&](const auto& values) { add(values.data(), values.size() * sizeof values[0]); },
               tensor.values);
  }
  char text[16];
  std::snprintf(text, sizeof text, "%08lx", static_cast<unsigned long>(crc));
  return text;
}

}  // namespace mechfit
