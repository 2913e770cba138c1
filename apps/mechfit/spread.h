#pragma once

#include <functional>

#include "mechfit/study/workers.h"

namespace mechfit {

// The processes that share a study: those started by one mpirun or srun, otherwise just this one.
// Rank 0 has the queue, writes the results and works like the others.
class Processes {
 public:
  Processes();
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Calls f; an exception in one process of several ends them all, where no other process would
  // hear of it.
  void guard(const std::function<void()>& f) const;

  // Rank 0: works off the queue with `jobs` threads in every process.
  void lead(const Study& study, CellQueue& queue, int jobs) const;
  // The other ranks, with the same number of jobs.
  void follow(const Study& study, int jobs) const;

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace mechfit
