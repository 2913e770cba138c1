#pragma once

#include <string>
#include <vector>

namespace mechfit {

// Columns aligned by their widest cell: the first to the left, the others to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// `1234.5678` as `1235`, `0.00123456` as `0.001235`.
std::string four_digits(double x);

}  // namespace mechfit
