#pragma once

namespace mechfit::bench {

// Double-precision multiply-add peak of one core in GFLOP/s, measured once with registers only, on
// the same instruction set that the kernels were dispatched to.
double peak_gflops();

// Obeys the environment: MECHFIT_BENCH_TARGET=avx2 leaves out what is wider. Call it first in main.
void restrict_instruction_set();

// The instruction set that was dispatched to, as Highway names it.
const char* instruction_set();

}  // namespace mechfit::bench
