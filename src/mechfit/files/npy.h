#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mechfit/files/npz.h"

namespace mechfit {

// One .npy member: magic, version, a Python dictionary {'descr', 'fortran_order', 'shape'}, then
// the raw array. `where` starts the error messages.
NpzArray parse_npy(std::string_view bytes, const std::string& where);

// The bytes ahead of the array, a multiple of 64 long.
std::string npy_header(const std::string& dtype, const std::vector<std::int64_t>& shape);

}  // namespace mechfit
