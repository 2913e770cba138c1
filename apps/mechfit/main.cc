#include <cstdio>

#include "mechfit/version.h"

int main() {
  std::printf("mechfit %s\n", mechfit::kVersion);
  return 0;
}
