#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "mechfit/files/number.h"
#include "mechfit/files/safetensors.h"

namespace mechfit {

// A safetensors file in lines that a fuzzer can change without knowing of lengths, offsets and
// checksums:
//
//   metadata KEY TEXT
//   doubles NAME SIZE ... : NUMBER ...     numbers that are missing are the last one, or 0.5
//   integers NAME SIZE ... : NUMBER ...
//
// Lines that are none of these are left out; arrays of more than kMostNumbers become empty ones.
inline Safetensors archive_of_text(std::string_view text) {
  constexpr std::int64_t kMostNumbers = 1 << 14;
  Safetensors file;
  const auto word = [](std::string_view& line) {
    const auto space = std::min(line.find(' '), line.size());
    const std::string_view first = line.substr(0, space);
    line.remove_prefix(std::min(space + 1, line.size()));
    return first;
  };
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view kind = word(line);
    const std::string key(word(line));
    if (kind == "metadata") file.metadata[key] = line;
    if (kind != "doubles" && kind != "integers") continue;
    Tensor tensor;
    std::int64_t count = 1;
    for (std::string_view size = word(line); size != ":" && !size.empty(); size = word(line)) {
      std::int64_t value = 0;
      std::from_chars(size.data(), size.data() + size.size(), value);
      tensor.shape.push_back(std::clamp<std::int64_t>(value, 0, kMostNumbers));
      count = std::min(count * tensor.shape.back(), kMostNumbers + 1);
    }
    if (count > kMostNumbers) {
      tensor.shape = {0};
      count = 0;
    }
    std::vector<double> doubles(static_cast<std::size_t>(count));
    std::vector<std::int64_t> integers(doubles.size());
    double last = 0.5;
    std::int64_t last_integer = 0;
    for (std::size_t k = 0; k < doubles.size(); ++k) {
      const std::string_view number = word(line);
      double value = 0;
      if (parse_number(number, value) == NumberStatus::ok) last = value;
      std::from_chars(number.data(), number.data() + number.size(), last_integer);
      doubles[k] = last;
      integers[k] = last_integer;
    }
    if (kind == "doubles")
      tensor.values = std::move(doubles);
    else
      tensor.values = std::move(integers);
    file.tensors[key] = std::move(tensor);
  }
  return file;
}

// With the checksum that belongs to it, as bytes.
inline std::string archive_bytes(std::string_view text) {
  Safetensors file = parse_safetensors(format_safetensors(archive_of_text(text)), "archive");
  file.metadata["checksum"] = checksum(file);
  return format_safetensors(file);
}

}  // namespace mechfit
