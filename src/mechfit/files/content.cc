#include "mechfit/files/content.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace mechfit {

bool is_safetensors_file(const std::string& path) {
  // The length of the header, little endian, here below 4 GB; then the header, a JSON object.
  std::array<char, 9> head{};
  std::ifstream file(path, std::ios::binary);
  if (!file.read(head.data(), head.size())) return false;
  return head[8] == '{' && std::all_of(&head[4], &head[8], [](char c) { return c == 0; });
}

}  // namespace mechfit
