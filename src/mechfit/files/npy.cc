#include "mechfit/files/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "mechfit/base/error.h"
#include "mechfit/files/number.h"
#include "mechfit/files/utf.h"

namespace mechfit {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kMostText = 1 << 20;  // strings of one array

struct Header {
  std::string descr;
  bool fortran_order = false;
  bool has_shape = false;
  std::vector<std::int64_t> shape;
};

// Reads the literal of a Python dictionary with just the values that numpy writes.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Header parse() {
    Header header;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') throw InputError(where_ + ": records, expected an array of numbers");
        header.descr = string();
      } else if (key == "fortran_order") {
        header.fortran_order = truth();
      } else if (key == "shape") {
        header.shape = tuple();
        header.has_shape = true;
      } else {
        bad();
      }
      if (!accept(',') && peek() != '}') bad();
    }
    if (header.descr.empty() || !header.has_shape) bad();
    return header;
  }

 private:
  [[noreturn]] void bad() const {
    throw InputError(where_ + ": header " + in_quotes(text_) + " is not that of a .npy array");
  }
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) bad();
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') bad();
    const auto close = text_.find(quote, ++at_);
    if (close == std::string_view::npos) bad();
    std::string out(text_.substr(at_, close - at_));
    at_ = close + 1;
    return out;
  }
  bool truth() {
    for (const std::string_view word : {"True", "False"}) {
      if (peek() != word[0] || text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return word == "True";
    }
    bad();
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> out;
    expect('(');
    while (!accept(')')) {
      peek();
      std::int64_t value = 0;
      const auto result = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (result.ec != std::errc() || value < 0 || out.size() == 8) bad();
      at_ = static_cast<std::size_t>(result.ptr - text_.data());
      out.push_back(value);
      if (!accept(',') && peek() != ')') bad();
    }
    return out;
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

std::string describe(const std::vector<std::int64_t>& shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    out += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return out + ")";
}

// Element by element, whatever its type and byte order.
template <class T>
void convert(std::string_view raw, bool swap, std::vector<double>& out) {
  out.resize(raw.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, raw.data() + i * sizeof(T), sizeof(T));
    if (swap) std::reverse(bytes, bytes + sizeof(T));
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    out[i] = static_cast<double>(value);
  }
}

bool read_numbers(char kind, std::uint64_t width, std::string_view raw, bool swap,
                  std::vector<double>& out) {
  switch (kind == 'b' ? 'u' : kind) {
    case 'f':
      if (width == 8 && !swap) {
        out.resize(raw.size() / 8);
        if (!raw.empty()) std::memcpy(out.data(), raw.data(), raw.size());
      } else if (width == 8) {
        convert<double>(raw, swap, out);
      } else if (width == 4) {
        convert<float>(raw, swap, out);
      } else {
        return false;
      }
      return true;
    case 'i':
      if (width == 8) convert<std::int64_t>(raw, swap, out);
      if (width == 4) convert<std::int32_t>(raw, swap, out);
      if (width == 2) convert<std::int16_t>(raw, swap, out);
      if (width == 1) convert<std::int8_t>(raw, swap, out);
      return true;
    case 'u':
      if (width == 8) convert<std::uint64_t>(raw, swap, out);
      if (width == 4) convert<std::uint32_t>(raw, swap, out);
      if (width == 2) convert<std::uint16_t>(raw, swap, out);
      if (width == 1) convert<std::uint8_t>(raw, swap, out);
      return true;
    default:
      return false;
  }
}

void read_text(char kind, std::uint64_t width, std::string_view raw, bool swap,
               std::vector<std::string>& out) {
  for (std::size_t at = 0; at < raw.size(); at += width) {
    const std::string_view item = raw.substr(at, width);
    if (kind == 'S') {
      out.emplace_back(item.substr(0, item.find_last_not_of('\0') + 1));
      continue;
    }
    std::string& text = out.emplace_back();
    for (std::size_t i = 0; i + 4 <= item.size(); i += 4) {
      std::uint32_t point;
      std::memcpy(&point, item.data() + i, 4);
      if (swap) point = __builtin_bswap32(point);
      if (point == 0) break;
      append_utf8(text, point);
    }
  }
}

// numpy's column-major arrays to row-major: walks the result in order and counts the index.
template <class T>
void reorder(const std::vector<std::int64_t>& shape, std::vector<T>& values) {
  if (shape.size() < 2 || values.empty()) return;
  std::vector<T> out;
  out.reserve(values.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::size_t from = 0;
    for (std::size_t d = shape.size(); d-- > 0;)
      from = from * static_cast<std::size_t>(shape[d]) + static_cast<std::size_t>(index[d]);
    out.push_back(std::move(values[from]));
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  values = std::move(out);
}

}  // namespace

NpzArray parse_npy(std::string_view bytes, const std::string& where) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  if (!bytes.starts_with(kMagic) || bytes.size() < 12)
    throw InputError(where + ": not a .npy array");
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    throw InputError(where + ": .npy version " + std::to_string(version) + ", expected 1 to 3");
  const std::size_t start = version == 1 ? 10 : 12;
  const std::size_t length = version == 1
                                 ? byte(8) | byte(9) << 8
                                 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start)
    throw InputError(where + ": header of " + std::to_string(length) + " bytes, found " +
                     std::to_string(bytes.size() - start));
  const Header header = HeaderParser(bytes.substr(start, length), where).parse();
  const std::string_view raw = bytes.substr(start + length);

  // '<f8': byte order, kind, width (of U in characters of four bytes).
  const std::string& descr = header.descr;
  std::uint64_t width = 0;
  const bool has_order = descr.find_first_of("<>|=") == 0;
  const std::size_t kind_at = has_order ? 1 : 0;
  const char kind = kind_at < descr.size() ? descr[kind_at] : '\0';
  const char* digits = descr.data() + std::min(descr.size(), kind_at + 1);
  const char* end = descr.data() + descr.size();
  const auto parsed = std::from_chars(digits, end, width);
  const bool is_text = kind == 'U' || kind == 'S';
  const bool known_width = is_text ? width > 0 && width < (1u << 20)
                                   : width == 1 || width == 2 || width == 4 || width == 8;
  const auto unknown = [&]() {
    return InputError(where + ": type " + in_quotes(descr) + ", expected numbers or text");
  };
  if (parsed.ec != std::errc() || parsed.ptr != end || !known_width) throw unknown();
  if (kind == 'U') width *= 4;

  std::uint64_t count = 1;
  bool overflow = false;
  for (const std::int64_t d : header.shape)
    overflow |= __builtin_mul_overflow(count, static_cast<std::uint64_t>(d), &count);
  std::uint64_t size = 0;
  overflow |= __builtin_mul_overflow(count, width, &size);
  if (overflow || size != raw.size())
    throw InputError(where + ": shape " + describe(header.shape) + " of " + in_quotes(descr) +
                     " does not fit the " + std::to_string(raw.size()) + " bytes of data");
  if (is_text && count > kMostText)
    throw InputError(where + ": " + std::to_string(count) + " strings, expected at most " +
                     std::to_string(kMostText));

  NpzArray array;
  array.shape = header.shape;
  array.is_text = is_text;
  const bool swap = descr[0] == '>';
  if (is_text)
    read_text(kind, width, raw, swap, array.text);
  else if (!read_numbers(kind, width, raw, swap, array.numbers))
    throw unknown();
  if (header.fortran_order) {
    reorder(array.shape, array.numbers);
    reorder(array.shape, array.text);
  }
  return array;
}

std::string npy_header(const std::string& dtype, const std::vector<std::int64_t>& shape) {
  std::string tuple;
  for (const std::int64_t d : shape) tuple += std::to_string(d) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) tuple.resize(tuple.size() - 2);
  std::string dictionary =
      "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': (" + tuple + "), }";
  constexpr std::size_t kStart = 10;
  const std::size_t total = (kStart + dictionary.size() + 1 + 63) / 64 * 64;
  MECHFIT_CHECK(total - kStart <= 0xFFFF);
  dictionary.resize(total - kStart - 1, ' ');
  dictionary += '\n';
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xFF),
          static_cast<char>(dictionary.size() >> 8)};
  return out + dictionary;
}

}  // namespace mechfit
