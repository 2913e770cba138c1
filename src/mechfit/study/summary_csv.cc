#include <algorithm>
#include <cmath>

#include "mechfit/files/number.h"
#include "mechfit/study/summary.h"

// Tables for other programs. An empty field is a number that does not exist.
namespace mechfit {
namespace {

std::string number(double x) {
  if (std::isnan(x)) return "";
  if (std::isinf(x)) return "inf";
  std::string text;
  append_number(text, x);
  return text;
}

std::string pair_rate(double rate) { return rate == StudyPair::kBest ? "best" : rate_text(rate); }

}  // namespace

std::string results_csv(const std::vector<CellRecord>& records) {
  std::string out =
      "system,noise,method,learning_rate,seed,test_error,validation_error,selected_epoch,status\n";
  for (const auto& [cell, result, failure] : records) {
    out += cell.system + "," + noise_text(cell.noise) + "," + cell.method + "," +
           rate_text(cell.rate) + "," + std::to_string(cell.seed) + ",";
    if (result)
      out += number(result->test_error) + "," + number(result->validation_error) + "," +
             std::to_string(result->selected_epoch) + "," +
             (result->test_error <= kLeftOutAbove ? "counted" : "left out") + "\n";
    else
      out += ",,,failed\n";
  }
  return out;
}

std::string summary_csv(const StudySummary& summary) {
  std::string out =
      "system,noise,method,learning_rate,mean,standard_error,counted,left_out,failed,published\n";
  for (const StudyBar& bar : summary.bars)
    out += bar.system + "," + noise_text(bar.noise) + "," + bar.method + "," + rate_text(bar.rate) +
           "," + number(bar.mean) + "," + number(bar.error) + "," + std::to_string(bar.counted) +
           "," + std::to_string(bar.left_out) + "," + std::to_string(bar.failed) + "," +
           (bar.published ? number(*bar.published) : "") + "\n";
  return out;
}

std::string paired_csv(const StudySummary& summary) {
  std::string out = "system,noise,learning_rate,first,second,difference,standard_error,pairs\n";
  for (const StudyPair& pair : summary.pairs)
    out += pair.system + "," + noise_text(pair.noise) + "," + pair_rate(pair.rate) + "," +
           pair.first + "," + pair.second + "," + number(pair.difference) + "," +
           number(pair.error) + "," + std::to_string(pair.pairs) + "\n";
  return out;
}

}  // namespace mechfit
