#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "mechfit/study/study.h"

// The work of a study: a queue that hands out cells and stores what comes back, and workers that
// ask it for one cell after another. Everything passes through one operation, `exchange`, so it
// does not matter whether a worker is a thread beside the queue or on another machine.
namespace mechfit {

// What a worker brings back; cell -1 at its first visit.
struct Delivery {
  int cell = -1;
  bool failed = false;
  std::string text;  // the result file, or why it failed
  double seconds = 0;
};

// Takes a delivery, returns the next cell or -1 when there is none.
using Exchange = std::function<int(const Delivery&)>;

struct StudyProgress {
  int finished = 0, failed = 0, total = 0;  // of the cells without a result at the start
  double fraction = 0;                      // of their expected time
  std::string last;                         // the cell that just ended
};

// May be used by several threads.
class CellQueue {
 public:
  // `open`: cells in the order to be handed out. `progress` is called by one thread at a time.
  CellQueue(const Study& study, std::vector<int> open,
            std::function<void(const StudyProgress&)> progress);

  int exchange(const Delivery& delivery);

  struct MethodTime {
    std::string method;
    int cells = 0;
    double seconds = 0;
  };
  std::vector<MethodTime> times() const { return times_; }

 private:
  const Study& study_;
  std::vector<int> open_;
  std::size_t next_ = 0;
  double cost_done_ = 0, cost_total_ = 0;
  std::function<void(const StudyProgress&)> progress_;
  StudyProgress state_;
  std::vector<MethodTime> times_;
  std::mutex mutex_;
};

// `jobs` threads that work until `exchange`, called by several of them at once, has no more cells.
// A cell that throws is delivered as failed; an exception of `exchange` itself ends the work and is
// thrown again.
void run_workers(const Study& study, int jobs, const Exchange& exchange);

}  // namespace mechfit
