#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The deflate format without a header, as zip archives have it.
namespace mechfit {

// False unless the packed bytes are just what the whole of `out` comes from.
bool inflate_all(std::string_view packed, std::string& out);
std::string deflate_all(std::string_view bytes);

// The checksum of zip.
std::uint32_t crc_32(std::string_view bytes);

}  // namespace mechfit
