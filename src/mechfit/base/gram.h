#pragma once

namespace mechfit {

// S [cols][cols] += scale A'A for A [rows][cols], both row-major; only the lower triangle of S.
void add_gram(int rows, int cols, const double* a, double scale, double* s);

}  // namespace mechfit
