#include "mechfit/study/cell.h"

#include <cmath>

#include "mechfit/files/number.h"

namespace mechfit {

std::string noise_text(double noise) {
  std::string text;
  append_number(text, noise);
  return text;
}

std::string rate_text(double rate) {
  if (rate == 0) return "";
  // 1e-3 rather than 0.001: the paper's rates are powers of ten.
  const int exponent = static_cast<int>(std::floor(std::log10(rate) + 1e-9));
  const std::string power = "1e" + std::to_string(exponent);
  double value = 0;
  if (parse_number(power, value) == NumberStatus::ok && value == rate) return power;
  return noise_text(rate);
}

std::string cell_name(const Cell& cell) {
  const std::string rate = rate_text(cell.rate);
  return cell.system + "_" + noise_text(cell.noise) + "_" + cell.method +
         (rate.empty() ? "" : "_" + rate) + "_" + std::to_string(cell.seed);
}

std::string cell_text(const Cell& cell) {
  const std::string rate = rate_text(cell.rate);
  return cell.system + " noise " + noise_text(cell.noise) + " " + cell.method +
         (rate.empty() ? "" : " rate " + rate) + " seed " + std::to_string(cell.seed);
}

}  // namespace mechfit
