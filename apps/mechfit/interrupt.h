#pragma once

#include <string>

namespace mechfit {

// While this lives Ctrl-C and SIGTERM ask the work to end (interrupted()) and save what it has.
// Work that has not ended a second later, or is asked twice, is cut off: the process says why and
// ends with code 1. Files are whole at any moment (files.h), so nothing on disk suffers.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // What a process that is cut off says: what is kept, and how to go on.
  void will_say(const std::string& message);
};

bool interrupted();

}  // namespace mechfit
