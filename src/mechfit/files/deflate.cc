#include "mechfit/files/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

// Both directions of zlib want pieces of at most 4 GiB.
struct Stream {
  z_stream z{};
  std::string_view in;
  char* out;
  std::size_t room;

  void feed() {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    z.avail_in = static_cast<uInt>(std::min(in.size(), kMost));
    z.next_out = reinterpret_cast<Bytef*>(out);
    z.avail_out = static_cast<uInt>(std::min(room, kMost));
  }
  void advance() {
    in.remove_prefix(
        static_cast<std::size_t>(reinterpret_cast<const char*>(z.next_in) - in.data()));
    const auto written = static_cast<std::size_t>(reinterpret_cast<char*>(z.next_out) - out);
    out += written;
    room -= written;
  }
};

}  // namespace

bool inflate_all(std::string_view packed, std::string& out) {
  Stream s{.in = packed, .out = out.data(), .room = out.size()};
  if (::inflateInit2(&s.z, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  int status = Z_OK;
  while (status == Z_OK) {
    s.feed();
    status = ::inflate(&s.z, Z_NO_FLUSH);
    s.advance();
  }
  ::inflateEnd(&s.z);
  return status == Z_STREAM_END && s.room == 0 && s.in.empty();
}

std::string deflate_all(std::string_view bytes) {
  Stream s{.in = bytes, .out = nullptr, .room = 0};
  if (::deflateInit2(&s.z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string out(::deflateBound(&s.z, static_cast<uLong>(bytes.size())), '\0');
  s.out = out.data();
  s.room = out.size();
  int status = Z_OK;
  while (status == Z_OK) {
    s.feed();
    status = ::deflate(&s.z, Z_FINISH);
    s.advance();
  }
  ::deflateEnd(&s.z);
  MECHFIT_CHECK(status == Z_STREAM_END);
  out.resize(out.size() - s.room);
  return out;
}

std::uint32_t crc_32(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace mechfit
