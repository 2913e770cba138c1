#include "mechfit/files/mat.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

constexpr std::size_t kHeader = 128;
constexpr int kDeepest = 8;  // structures within structures: more than people write by hand

// Types of elements and classes of arrays, as MATLAB's description of the format numbers them.
enum Type : unsigned {
  int8 = 1,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  float32,
  float64 = 9,
  int64 = 12,
  uint64,
  matrix,
  compressed,
  utf8,
  utf16,
  utf32
};
enum Class : unsigned { cell = 1, structure, object, characters, sparse, number };
constexpr unsigned kLastNumber = 15;
constexpr unsigned kComplex = 0x800;

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
std::vector<double> convert(std::string_view data) {
  std::vector<double> out(data.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<double>(load<T>(data.data() + i * sizeof(T)));
  return out;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out;
  for (const auto d : shape) out += (out.empty() ? "" : " x ") + std::to_string(d);
  return out;
}

}  // namespace

bool MatReader::recognises(std::string_view bytes) {
  return bytes.starts_with("MATLAB 5.0 MAT-file") || bytes.starts_with("MATLAB 7.3 MAT-file");
}

MatReader::MatReader(std::string_view bytes, std::string name) : name_(std::move(name)) {
  if (bytes.starts_with("MATLAB 7.3 MAT-file") || bytes.starts_with("\x89HDF"))
    fail("a file of version 7.3 (HDF5), expected version 5 to 7: save it with -v7");
  if (bytes.size() < kHeader)
    fail("found " + std::to_string(bytes.size()) + " bytes, expected a MAT-file of version 5 to 7");
  const std::string_view order = bytes.substr(126, 2);
  if (order == "MI") fail("numbers have their highest byte first, which is not read");
  if (order != "IM" || load<std::uint16_t>(bytes.data() + 124) != 0x0100)
    fail("no header of a MAT-file of version 5 to 7");
  read_elements(bytes.substr(kHeader));
}

void MatReader::fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

std::vector<std::string> MatReader::names() const {
  std::vector<std::string> out;
  for (const auto& [variable, array] : variables_) out.push_back(variable);
  return out;
}

// A tag of 8 bytes, or of 4 where the data fit into the other 4; data fill whole groups of 8.
MatReader::Element MatReader::take(std::string_view& rest) const {
  if (rest.size() < 8) fail("ends within the tag of an element");
  const auto first = load<std::uint32_t>(rest.data());
  if (first >> 16 != 0) {
    const std::size_t size = first >> 16;
    if (size > 4) fail("a small element has " + std::to_string(size) + " bytes, expected 1 to 4");
    const Element element{first & 0xFFFF, rest.substr(4, size)};
    rest.remove_prefix(8);
    return element;
  }
  const std::size_t size = load<std::uint32_t>(rest.data() + 4);
  if (size > rest.size() - 8)
    fail("an element has " + std::to_string(size) + " bytes, the file has " +
         std::to_string(rest.size() - 8) + " more");
  const Element element{first, rest.substr(8, size)};
  const std::size_t whole = first == compressed ? size : (size + 7) / 8 * 8;
  rest.remove_prefix(std::min(8 + whole, rest.size()));
  return element;
}

std::vector<double> MatReader::numbers(const Element& element) const {
  switch (element.type) {
    case int8:
      return convert<std::int8_t>(element.data);
    case uint8:
      return convert<std::uint8_t>(element.data);
    case int16:
      return convert<std::int16_t>(element.data);
    case uint16:
      return convert<std::uint16_t>(element.data);
    case int32:
      return convert<std::int32_t>(element.data);
    case uint32:
      return convert<std::uint32_t>(element.data);
    case float32:
      return convert<float>(element.data);
    case float64:
      return convert<double>(element.data);
    case int64:
      return convert<std::int64_t>(element.data);
    case uint64:
      return convert<std::uint64_t>(element.data);
    default:
      fail("numbers of type " + std::to_string(element.type) + ", which is not known");
  }
}

// Characters beyond Latin-1 become question marks: names of joints have none.
std::string MatReader::text_of(const Element& element) const {
  if (element.type == utf8) return std::string(element.data);
  const unsigned type = element.type == utf16   ? uint16
                        : element.type == utf32 ? uint32
                                                : element.type;
  std::string out;
  for (const double code : numbers({type, element.data})) {
    if (code > 0 && code < 128)
      out += static_cast<char>(code);
    else
      out += '?';
  }
  return out;
}

std::string MatReader::unpack(std::string_view packed) const {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) fail("zlib does not start");
  std::string out;
  int status = Z_OK;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  while (status == Z_OK) {
    const std::size_t before = out.size(), more = std::max<std::size_t>(4096, before);
    out.resize(before + more);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(more);
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + more - stream.avail_out);
    if (status == Z_OK && stream.avail_in == 0 && stream.avail_out > 0) break;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) fail("a packed variable is damaged or ends early");
  return out;
}

void MatReader::read_elements(std::string_view rest) {
  while (!rest.empty()) {
    const Element element = take(rest);
    if (element.type == matrix) read_matrix(element.data, "", 0);
    if (element.type != compressed) continue;
    const std::string unpacked = unpack(element.data);
    std::string_view inner = unpacked;
    const Element variable = take(inner);
    if (variable.type == matrix) read_matrix(variable.data, "", 0);
  }
}

// Flags, dimensions and name, then what the class says.
void MatReader::read_matrix(std::string_view body, const std::string& variable, int depth) {
  if (body.empty()) return;  // an empty cell or field
  const Element flags = take(body);
  if (flags.type != uint32 || flags.data.size() != 8) fail("an array has no flags");
  const auto word = load<std::uint32_t>(flags.data.data());
  const unsigned kind = word & 0xFF;
  if (kind > kLastNumber) return;  // functions and objects of newer kinds have no dimensions
  std::vector<std::int64_t> shape;
  const Element dimensions = take(body);
  if (dimensions.type != int32) fail("an array has no dimensions");
  for (const double d : numbers(dimensions)) shape.push_back(static_cast<std::int64_t>(d));
  const Element label = take(body);
  const std::string name =
      variable.empty() ? std::string(label.data.substr(0, label.data.find('\0'))) : variable;
  if (name.empty() || depth > kDeepest) return;
  if (kind == structure && shape == std::vector<std::int64_t>{1, 1})
    read_structure(body, name, depth);
  else if (kind == cell)
    read_cells(body, name, depth);
  else if (kind == characters && shape.size() == 2 && shape[0] == 1)
    variables_[name] = {{1}, {}, {text_of(take(body))}, true};
  else if (kind >= number && !(word & kComplex))
    read_numbers(body, std::move(shape), name);
}

void MatReader::read_structure(std::string_view body, const std::string& variable, int depth) {
  const std::vector<double> length = numbers(take(body));
  const std::string_view labels = take(body).data;
  if (length.size() != 1 || !(length[0] >= 1 && length[0] <= 4096))
    fail("structure '" + variable + "' has no field names");
  const auto width = static_cast<std::size_t>(length[0]);
  for (std::size_t at = 0; at + width <= labels.size(); at += width) {
    const std::string_view label = labels.substr(at, width);
    const Element field = take(body);
    if (field.type != matrix) fail("structure '" + variable + "' is damaged");
    read_matrix(field.data, variable + "." + std::string(label.substr(0, label.find('\0'))),
                depth + 1);
  }
}

// Cells that all hold text are a list of text.
void MatReader::read_cells(std::string_view body, const std::string& variable, int depth) {
  NpzArray list{{0}, {}, {}, true};
  bool all_text = true;
  while (!body.empty() && all_text) {
    const Element item = take(body);
    if (item.type == matrix) read_matrix(item.data, variable, depth + 1);
    const auto found = variables_.find(variable);
    all_text = found != variables_.end() && found->second.is_text;
    if (all_text) list.text.push_back(found->second.text.at(0));
    if (found != variables_.end()) variables_.erase(found);
  }
  list.shape = {static_cast<std::int64_t>(list.text.size())};
  if (all_text && !list.text.empty()) variables_[variable] = std::move(list);
}

void MatReader::read_numbers(std::string_view body, std::vector<std::int64_t> shape,
                             const std::string& variable) {
  const std::vector<double> by_columns = numbers(take(body));
  const auto size = static_cast<std::int64_t>(by_columns.size());
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0) return;  // three axes hold no log
  if ((shape[0] != 0 && shape[1] > size / shape[0]) || shape[0] * shape[1] != size)
    fail("variable '" + variable + "' has " + std::to_string(size) + " numbers, expected " +
         shape_text(shape));
  NpzArray array;
  array.numbers.resize(by_columns.size());
  const std::int64_t rows = shape[0], columns = shape[1];
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      array.numbers[static_cast<std::size_t>(i * columns + j)] =
          by_columns[static_cast<std::size_t>(j * rows + i)];
  array.shape = rows == 1 || columns == 1 ? std::vector<std::int64_t>{size} : shape;
  variables_[variable] = std::move(array);
}

}  // namespace mechfit
