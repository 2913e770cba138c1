#include "mechfit/study/workers.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <thread>

namespace mechfit {
namespace {

Delivery attempt(const Study& study, int cell, ThreadPool& pool) {
  Delivery delivery;
  delivery.cell = cell;
  const auto start = std::chrono::steady_clock::now();
  try {
    delivery.text = study.run(cell, pool);
  } catch (const std::exception& e) {
    delivery.failed = true;
    delivery.text = e.what();
  }
  delivery.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return delivery;
}

}  // namespace

CellQueue::CellQueue(const Study& study, std::vector<int> open,
                     std::function<void(const StudyProgress&)> progress)
    : study_(study), open_(std::move(open)), progress_(std::move(progress)) {
  for (const int cell : open_) cost_total_ += study_.cost(cell);
  state_.total = static_cast<int>(open_.size());
}

int CellQueue::exchange(const Delivery& delivery) {
  const std::lock_guard lock(mutex_);
  if (delivery.cell >= 0) {
    if (delivery.failed)
      study_.store_failure(delivery.cell, delivery.text);
    else
      study_.store_result(delivery.cell, delivery.text);
    ++(delivery.failed ? state_.failed : state_.finished);
    cost_done_ += study_.cost(delivery.cell);
    state_.fraction = cost_done_ / cost_total_;
    const Cell& cell = study_.cells()[delivery.cell];
    state_.last = cell_text(cell);
    auto time = std::find_if(times_.begin(), times_.end(),
                             [&](const MethodTime& t) { return t.method == cell.method; });
    if (time == times_.end()) time = times_.insert(times_.end(), {cell.method, 0, 0.0});
    ++time->cells;
    time->seconds += delivery.seconds;
    if (progress_) progress_(state_);
  }
  return next_ < open_.size() ? open_[next_++] : -1;
}

void run_workers(const Study& study, int jobs, const Exchange& exchange) {
  std::exception_ptr error;
  std::mutex error_mutex;
  std::atomic<bool> stop = false;
  const auto work = [&] {
    try {
      ThreadPool pool(1);
      Delivery delivery;
      while (!stop) {
        const int cell = exchange(delivery);
        if (cell < 0) return;
        delivery = attempt(study, cell, pool);
      }
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
      stop = true;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace mechfit
