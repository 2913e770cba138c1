#include "inspect_model.h"

#include <cstdio>

#include "commands.h"
#include "mechfit/base/error.h"
#include "mechfit/evaluate/model_point.h"
#include "mechfit/evaluate/model_text.h"
#include "mechfit/files/number.h"
#include "terminal.h"

namespace mechfit {
namespace {

std::vector<double> numbers(const std::string& text, int count, const char* what) {
  std::vector<double> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    double value = 0;
    if (parse_number(text.substr(begin, end - begin), value) != NumberStatus::ok)
      throw UsageError("--at: " + in_quotes(text.substr(begin, end - begin)) + " is not a number");
    out.push_back(value);
    begin = end + 1;
  }
  if (static_cast<int>(out.size()) != count)
    throw UsageError("--at: " + std::to_string(out.size()) + " " + what + ", the model has " +
                     std::to_string(count) + " joints");
  return out;
}

void print_row(const char* name, const std::vector<double>& values) {
  std::printf("%-14s", name);
  for (const double x : values) std::printf("  %12s", short_number(x).c_str());
  std::puts("");
}

void print_point(const ModelPoint& point) {
  const std::size_t n = point.q.size();
  print_row("q", point.q);
  print_row("v", point.v);
  for (std::size_t i = 0; i < n; ++i)
    print_row(i == 0 ? "M(q)" : "", {point.mass.begin() + i * n, point.mass.begin() + (i + 1) * n});
  print_row("eigenvalues", point.eigenvalues);
  print_row("V(q)", {point.potential});
  print_row("dL/dq", point.conservative);
  print_row("F(q, v, 0)", point.force);
  if (point.acceleration.empty())
    std::puts("M is not positive definite here: the model gives no acceleration");
  else
    print_row("acceleration", point.acceleration);
}

}  // namespace

void inspect_model(const std::string& path, const std::string& at, bool json) {
  const ModelRecord record = load_model(path);
  const int n = record.model.joints();
  std::vector<double> q(n, 0.0), v(n, 0.0);
  if (!at.empty()) {
    const std::size_t semicolon = at.find(';');
    q = numbers(at.substr(0, semicolon), n, "positions");
    if (semicolon != std::string::npos) v = numbers(at.substr(semicolon + 1), n, "velocities");
  }
  const ModelPoint point = model_at(record.model, q, v);
  if (json) {
    std::puts(model_json(record, point).c_str());
    return;
  }
  std::printf("%s: %s\n\n", printable(path).c_str(), printable(describe_model(record)).c_str());
  std::fputs(printable(model_text(record)).c_str(), stdout);
  print_point(point);
  std::puts("");
  for (const auto& [key, text] : record.metadata)
    if (text.size() <= 100)
      std::printf("%s: %s\n", printable(key).c_str(), printable(text).c_str());
}

}  // namespace mechfit
