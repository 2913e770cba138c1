#pragma once

#include <functional>

#include "mechfit/fit/joint/team.h"
#include "mechfit/study/workers.h"

namespace mechfit {

// The processes that share a study or a fit: those started by one mpirun or srun, otherwise just
// this one. Rank 0 has the queue, writes the results and works like the others.
class Processes : public Team {
 public:
  Processes();
  ~Processes() override;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void exchange(std::span<double> values, std::span<const long> begins) override;
  // Whether it is true in any process.
  bool any(bool mine);

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
