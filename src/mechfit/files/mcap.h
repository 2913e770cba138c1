#pragma once

#include <string>
#include <string_view>

#include "mechfit/files/recording.h"

namespace mechfit {

// The container MCAP (mcap.dev), chunked or not, chunks packed by LZ4, zstd or not. Indices are not
// needed: the file is read from front to back, and its checksums are looked at. `name` is the
// file's name in messages; InputError for what is not such a file, is damaged or ends early.
Recording read_mcap(std::string_view bytes, const std::string& name);

bool is_mcap(std::string_view bytes);

}  // namespace mechfit
