#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "mechfit/base/text_table.h"

namespace mechfit {
// The report has a Table and a short_number of its own.
inline namespace terminal {

// A progress line on standard error, `label  42 %  0:31 left  detail`, redrawn at most ten times a
// second. Says nothing when standard error is not a terminal; erased when it goes out of scope.
class Progress {
 public:
  explicit Progress(std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(double fraction, const std::string& detail = "");
  // Removes the line, so that something else can be printed; the next update draws it again.
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
};

class Table : public TextTable {
 public:
  using TextTable::TextTable;
  void print() const;  // to standard output
};

// Text from anywhere as a terminal may see it: bytes that are not UTF-8, escapes and other control
// characters are replaced.
std::string printable(std::string_view text);

// Lines for the user that are not the result go to standard error.
void print_note(const std::string& text);
void print_warning(const std::string& text);

// `1234.5678` as `1235`, `0.00123456` as `0.001235`.
std::string short_number(double x);

// The library's messages speak of option 'drop_bad_rows'; a user of the program knows it as
// --drop-bad-rows.
std::string with_flags(std::string text);
std::vector<std::string> with_flags(std::vector<std::string> texts);

// 75.2 as `1:15`, 3800 as `1:03:20`.
std::string clock_text(double seconds);

}  // namespace terminal
}  // namespace mechfit
