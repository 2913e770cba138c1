#pragma once

#include <string>

// What a file is, by its first bytes and not by its name.
namespace mechfit {

// Of models and checkpoints; false where there is no such file.
bool is_safetensors_file(const std::string& path);

}  // namespace mechfit
