#include "terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "mechfit/files/utf.h"

namespace mechfit {
inline namespace terminal {
Progress::Progress(std::string label)
    : label_(std::move(label)),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() { erase(); }

void Progress::erase() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::update(double fraction, const std::string& detail) {
  if (!terminal_) return;
  const auto now = Clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const double passed = std::chrono::duration<double>(now - start_).count();
  std::string left;
  if (fraction > 0.01 && passed > 1.0)
    left = "  " + clock_text(passed * (1.0 - fraction) / fraction) + " left";
  std::fprintf(stderr, "\r\033[K%s %3.0f %%%s  %s", label_.c_str(), 100.0 * fraction, left.c_str(),
               printable(detail).c_str());
  std::fflush(stderr);
}

void Table::print() const { std::fputs(printable(text()).c_str(), stdout); }

std::string printable(std::string_view text) {
  std::string out;
  for (const char32_t point : decode_utf8(text)) {
    const bool control = (point < 0x20 && point != '\n' && point != '\t') ||
                         (point >= 0x7F && point < 0xA0);  // DEL, and the escapes of one byte
    append_utf8(out, control ? U'\uFFFD' : point);
  }
  return out;
}

void print_note(const std::string& text) {
  std::fprintf(stderr, "note: %s\n", printable(with_flags(text)).c_str());
}
void print_warning(const std::string& text) {
  std::fprintf(stderr, "warning: %s\n", printable(with_flags(text)).c_str());
}

std::string short_number(double x) { return four_digits(x); }

std::string clock_text(double seconds) {
  const long s = std::lround(std::clamp(seconds, 0.0, 1e8));
  char buffer[48];
  if (s >= 3600)
    std::snprintf(buffer, sizeof buffer, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  else
    std::snprintf(buffer, sizeof buffer, "%ld:%02ld", s / 60, s % 60);
  return buffer;
}

std::string with_flags(std::string text) {
  // The options whose flags have other names.
  const std::map<std::string, std::string> others = {{"joint_types", "joints"}};
  const std::string mark = "option '";
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    const std::size_t begin = at + mark.size(), end = text.find('\'', begin);
    if (end == std::string::npos) break;
    std::string name = text.substr(begin, end - begin);
    if (const auto other = others.find(name); other != others.end()) name = other->second;
    std::replace(name.begin(), name.end(), '_', '-');
    text.replace(at, end + 1 - at, "--" + name);
    at += name.size() + 2;
  }
  return text;
}

std::vector<std::string> with_flags(std::vector<std::string> texts) {
  for (std::string& text : texts) text = with_flags(text);
  return texts;
}

}  // namespace terminal
}  // namespace mechfit
