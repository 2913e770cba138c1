#include "interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>

#include "terminal.h"

namespace mechfit {
namespace {

// Signal handlers can see nothing but globals.
volatile std::sig_atomic_t asked = 0;
// The message, and the other buffer, where the next one is written.
char messages[2][1024];
std::atomic<const char*> message = messages[0];
struct sigaction old_int, old_term, old_alarm;

// Seconds that work has for ending by itself.
constexpr unsigned kGrace = 1;

void cut_off(int) {
  const char* text = message.load();
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
  ::_exit(1);
}

void ask(int signal) {
  if (asked) cut_off(signal);
  asked = 1;
  ::alarm(kGrace);
}

}  // namespace

bool interrupted() { return asked != 0; }

InterruptGuard::InterruptGuard() {
  asked = 0;
  struct sigaction action {};
  action.sa_handler = cut_off;
  sigaction(SIGALRM, &action, &old_alarm);
  action.sa_handler = ask;
  sigaction(SIGINT, &action, &old_int);
  sigaction(SIGTERM, &action, &old_term);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &old_int, nullptr);
  sigaction(SIGTERM, &old_term, nullptr);
  ::alarm(0);
  sigaction(SIGALRM, &old_alarm, nullptr);
}

void InterruptGuard::will_say(const std::string& text) {
  char* next = message == messages[0] ? messages[1] : messages[0];
  const std::string line =
      std::string(::isatty(STDERR_FILENO) ? "\r\033[K" : "") + "mechfit: " + printable(text);
  const std::size_t size = std::min(line.size(), sizeof messages[0] - 2);
  std::memcpy(next, line.data(), size);
  std::memcpy(next + size, "\n", 2);
  message = next;
}

}  // namespace mechfit
