#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mechfit {

// What zstd and LZ4 (its frame format) have packed. InputError without the file's name where the
// bytes are damaged, end early, or hold more than `limit` bytes. Memory is taken as it fills, never
// for what the bytes only claim.
std::string unpack_zstd(std::string_view packed, std::size_t limit);
std::string unpack_lz4(std::string_view packed, std::size_t limit);

bool is_zstd(std::string_view bytes);

}  // namespace mechfit
