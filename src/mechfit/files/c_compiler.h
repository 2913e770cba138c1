#pragma once

#include <string>

// The machine's C compiler.
namespace mechfit {

struct Compiled {
  std::string library;  // bytes of a shared library; empty: `problem` says why
  std::string problem;
};

// C99 to a shared library whose visible functions are those that say so. The compiler is $CC, or
// cc.
Compiled compile_library(const std::string& source);

// The name that FMI 2.0 has for this platform's folder of binaries; empty: none.
std::string fmi_platform();

}  // namespace mechfit
