#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace mechfit {

// Values of a message in CDR, the format of ROS 2: four bytes of which the second tells the byte
// order (0: highest first, 1: lowest first), then numbers at multiples of their own size, counted
// from behind these four. A reader that was led astray gives zeros, and says so in fault().
class CdrReader {
 public:
  explicit CdrReader(std::string_view message) {
    if (message.size() < 4 || message[0] != 0 || (message[1] != 0 && message[1] != 1)) {
      fault_ = "is not plain CDR";
      return;
    }
    swap_ = (message[1] == 1) != (std::endian::native == std::endian::little);
    bytes_ = message.substr(4);
  }

  template <class T>
  T number() {
    const std::size_t at = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    if (!has(at, sizeof(T))) return T();
    char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes[swap_ ? sizeof(T) - 1 - i : i] = bytes_[at + i];
    at_ = at + sizeof(T);
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }

  // Its length counts the zero byte at its end.
  std::string text() {
    const std::size_t size = number<std::uint32_t>();
    if (!has(at_, size)) return {};
    const std::string_view value = bytes_.substr(at_, size);
    at_ += size;
    return std::string(value.substr(0, value.find('\0')));
  }

  // Number of items of a list, each of at least `smallest` bytes.
  std::size_t length(std::size_t smallest) {
    const std::size_t count = number<std::uint32_t>();
    if (fault_ == nullptr && count > (bytes_.size() - at_) / smallest) fault_ = kShort;
    return fault_ == nullptr ? count : 0;
  }

  std::vector<double> doubles() {
    std::vector<double> out(length(sizeof(double)));
    for (double& x : out) x = number<double>();
    return out;
  }

  // What is wrong, null for nothing. Some senders fill the last group of eight bytes.
  const char* fault() const {
    if (fault_ == nullptr && bytes_.size() - at_ >= 8) return "has bytes behind its end";
    return fault_;
  }

 private:
  static constexpr const char* kShort = "ends early";

  bool has(std::size_t at, std::size_t size) {
    if (fault_ == nullptr && (at > bytes_.size() || size > bytes_.size() - at)) fault_ = kShort;
    return fault_ == nullptr;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool swap_ = false;
  const char* fault_ = nullptr;
};

}  // namespace mechfit
