#include "mechfit/files/zip_writer.h"

#include <cstdint>
#include <utility>

#include "mechfit/base/error.h"
#include "mechfit/files/deflate.h"

// As npz.cc reads it, without zip64.
namespace mechfit {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::uint64_t kAllOnes32 = 0xFFFFFFFF;

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

}  // namespace

void ZipWriter::add(const std::string& name, std::string_view content) {
  const std::string packed = deflate_ ? deflate_all(content) : std::string();
  const std::string_view stored = deflate_ ? packed : content;
  const std::uint64_t offset = bytes_.size();
  if (content.size() >= kAllOnes32 || offset + stored.size() >= kAllOnes32)
    throw InputError("'" + name + "': a zip archive (.npz, .fmu) holds at most 4 GiB");

  // From "version needed" to the length of the name, alike in both headers. The time is the
  // earliest that zip knows, 1980-01-01.
  std::string common;
  put(common, 20, 2);
  put(common, 0, 2);
  put(common, deflate_ ? 8 : 0, 2);
  put(common, 0, 2);
  put(common, 0x21, 2);
  put(common, crc_32(content), 4);
  put(common, stored.size(), 4);
  put(common, content.size(), 4);
  put(common, name.size(), 2);

  put(bytes_, kLocal, 4);
  bytes_ += common;
  put(bytes_, 0, 2);
  bytes_ += name;
  bytes_ += stored;

  put(directory_, kCentral, 4);
  put(directory_, 20, 2);
  directory_ += common;
  directory_.append(12, '\0');  // extra, comment, disk, internal and external attributes
  put(directory_, offset, 4);
  directory_ += name;
  ++members_;
}

std::string ZipWriter::finish() {
  const std::uint64_t offset = bytes_.size();
  bytes_ += directory_;
  put(bytes_, kEnd, 4);
  put(bytes_, 0, 4);
  put(bytes_, static_cast<std::uint64_t>(members_), 2);
  put(bytes_, static_cast<std::uint64_t>(members_), 2);
  put(bytes_, directory_.size(), 4);
  put(bytes_, offset, 4);
  put(bytes_, 0, 2);
  return std::move(bytes_);
}

}  // namespace mechfit
