#include "mechfit/files/npz.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "mechfit/base/error.h"
#include "mechfit/files/deflate.h"
#include "mechfit/files/npy.h"
#include "mechfit/files/number.h"
#include "mechfit/files/utf.h"

// The zip format as far as numpy uses it (PKWARE's APPNOTE.TXT, 4.3): members, each behind a local
// header; then the central directory, one record per member; then its end record, which is found
// from the back. Zip64 replaces a field that does not fit by all ones.
namespace mechfit {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50,
                        kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::uint64_t kAllOnes16 = 0xFFFF, kAllOnes32 = 0xFFFFFFFF;
constexpr std::uint64_t kBestDeflate = 1032;  // no deflated byte can become more than this

}  // namespace

NpzReader::NpzReader(std::string_view bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {
  read_directory();
}

void NpzReader::fail(const std::string& what) const { throw InputError(name_ + ": " + what); }

std::string_view NpzReader::slice(std::uint64_t offset, std::uint64_t size,
                                  const std::string& what) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset)
    fail(what + " lies outside the file of " + std::to_string(bytes_.size()) + " bytes");
  return bytes_.substr(offset, size);
}

std::uint64_t NpzReader::number(std::uint64_t offset, int bytes) const {
  std::uint64_t value = 0;
  std::memcpy(&value, slice(offset, static_cast<std::uint64_t>(bytes), "a zip record").data(),
              static_cast<std::size_t>(bytes));
  return value;
}

void NpzReader::read_directory() {
  constexpr std::size_t kEndSize = 22;
  if (bytes_.empty()) fail("empty file, expected a .npz archive");
  if (bytes_.size() < kEndSize) fail("not a .npz archive");
  std::size_t end = bytes_.size() - kEndSize;
  const std::size_t lowest = end - std::min<std::size_t>(end, 0xFFFF);  // a comment may follow
  while (number(end, 4) != kEnd) {
    if (end == lowest) fail("not a .npz archive (no zip directory; is the file cut short?)");
    --end;
  }
  std::uint64_t count = number(end + 10, 2);
  std::uint64_t size = number(end + 12, 4);
  std::uint64_t at = number(end + 16, 4);
  if ((count == kAllOnes16 || size == kAllOnes32 || at == kAllOnes32) && end >= 20 &&
      number(end - 20, 4) == kLocator64) {
    const std::uint64_t end64 = number(end - 20 + 8, 8);
    slice(end64, 56, "the zip64 directory");
    if (number(end64, 4) != kEnd64) fail("broken zip64 directory");
    count = number(end64 + 32, 8);
    size = number(end64 + 40, 8);
    at = number(end64 + 48, 8);
  }
  slice(at, size, "the zip directory");

  const std::uint64_t stop = at + size;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (at + 46 > stop || number(at, 4) != kCentral) fail("broken zip directory");
    Member member{};
    const std::uint64_t flags = number(at + 8, 2);
    member.method = static_cast<std::uint32_t>(number(at + 10, 2));
    member.crc = static_cast<std::uint32_t>(number(at + 16, 4));
    member.packed_size = number(at + 20, 4);
    member.size = number(at + 24, 4);
    const std::uint64_t name_size = number(at + 28, 2);
    const std::uint64_t extra_size = number(at + 30, 2);
    const std::uint64_t comment_size = number(at + 32, 2);
    member.offset = number(at + 42, 4);
    std::string array(slice(at + 46, name_size, "a member's name"));
    std::uint64_t extra = at + 46 + name_size;
    const std::uint64_t extra_end = extra + extra_size;
    at = extra_end + comment_size;
    if (at > stop) fail("broken zip directory");
    while (extra + 4 <= extra_end) {
      const std::uint64_t id = number(extra, 2);
      std::uint64_t field = extra + 4;
      extra = field + number(extra + 2, 2);
      if (id != 1) continue;
      for (std::uint64_t* value : {&member.size, &member.packed_size, &member.offset}) {
        if (*value != kAllOnes32 || field + 8 > std::min(extra, extra_end)) continue;
        *value = number(field, 8);
        field += 8;
      }
    }
    if (flags & 1) fail("array " + in_quotes(array) + " is encrypted");
    if (!array.ends_with(".npy"))
      fail("member " + in_quotes(array) + ", expected names ending in .npy");
    array.resize(array.size() - 4);
    if (!members_.emplace(array, member).second) fail("two arrays named " + in_quotes(array));
  }
}

std::vector<std::string> NpzReader::names() const {
  std::vector<std::string> out;
  for (const auto& [array, member] : members_) out.push_back(array);
  return out;
}

std::string NpzReader::unpack(const std::string& array, const Member& member) const {
  const std::string what = "array '" + array + "'";
  slice(member.offset, 30, what);
  if (number(member.offset, 4) != kLocal) fail(what + ": broken zip member");
  const std::uint64_t start =
      member.offset + 30 + number(member.offset + 26, 2) + number(member.offset + 28, 2);
  const std::string_view packed = slice(start, member.packed_size, what);
  std::string out;
  if (member.method == 0) {
    if (member.size != member.packed_size) fail(what + ": broken zip member");
    out = packed;
  } else if (member.method == 8) {
    if (member.size / kBestDeflate > member.packed_size)
      fail(what + " claims " + std::to_string(member.size) + " bytes, more than its " +
           std::to_string(member.packed_size) + " packed ones can hold");
    out.resize(member.size);
    if (!inflate_all(packed, out)) fail(what + ": broken compressed data");
  } else {
    fail(what + ": zip method " + std::to_string(member.method) + ", expected stored or deflated");
  }
  if (crc_32(out) != member.crc) fail(what + ": checksum does not match, the file is damaged");
  return out;
}

NpzArray NpzReader::read(const std::string& array) const {
  const auto member = members_.find(array);
  if (member == members_.end()) fail("no array '" + array + "'");
  return parse_npy(unpack(array, member->second), name_ + ": array '" + array + "'");
}

void NpzWriter::add(const std::string& array, const std::vector<std::int64_t>& shape,
                    const double* values) {
  std::int64_t count = 1;
  for (const auto d : shape) count *= d;
  add_member(array, "<f8", shape,
             {reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * 8});
}

void NpzWriter::add(const std::string& array, const std::vector<std::int64_t>& shape,
                    const std::int64_t* values) {
  std::int64_t count = 1;
  for (const auto d : shape) count *= d;
  add_member(array, "<i8", shape,
             {reinterpret_cast<const char*>(values), static_cast<std::size_t>(count) * 8});
}

void NpzWriter::add(const std::string& array, const std::vector<std::string>& text) {
  std::vector<std::u32string> decoded;
  std::size_t width = 1;
  for (const auto& item : text) {
    decoded.push_back(decode_utf8(item));
    width = std::max(width, decoded.back().size());
  }
  std::u32string payload;
  for (auto& item : decoded) {
    item.resize(width, U'\0');
    payload += item;
  }
  add_member(array, "<U" + std::to_string(width), {static_cast<std::int64_t>(text.size())},
             {reinterpret_cast<const char*>(payload.data()), payload.size() * 4});
}

void NpzWriter::add_member(const std::string& array, const std::string& dtype,
                           const std::vector<std::int64_t>& shape, std::string_view payload) {
  std::string data = npy_header(dtype, shape);
  data += payload;
  zip_.add(array + ".npy", data);
}

std::string NpzWriter::finish() { return zip_.finish(); }

}  // namespace mechfit
