#include "mechfit/base/thread_pool.h"

#include <algorithm>
#include <chrono>

#include "mechfit/base/error.h"

namespace mechfit {

// How long an idle worker spins: longer than the pause between two calls of run in a step of
// training, so that it is awake for the next one. A worker that is not needed wastes no more than
// this. No other length is on record.
constexpr auto kSpin = std::chrono::microseconds(100);

template <class Condition>
void ThreadPool::spin_until(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

int default_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

ThreadPool::ThreadPool(int threads) {
  MECHFIT_CHECK(threads >= 1, "threads = " + std::to_string(threads));
  for (int worker = 1; worker < threads; ++worker) {
    threads_.emplace_back([this, worker] {
      std::unique_lock lock(mutex_);
      while (true) {
        wake_.wait(lock, [this] { return stop_ || (function_ && next_ < tasks_); });
        if (stop_) return;
        work(worker, lock);
        const int seen = calls_;
        lock.unlock();
        spin_until([&] { return calls_ != seen; });
        lock.lock();
      }
    });
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::work(int worker, std::unique_lock<std::mutex>& lock) {
  ++running_;
  while (next_ < tasks_) {
    const int task = next_++;
    const auto& function = *function_;
    lock.unlock();
    std::exception_ptr error;
    try {
      function(task, worker);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && !error_) error_ = error;
  }
  if (--running_ == 0) done_.notify_all();
}

void ThreadPool::run_all(int tasks, const std::function<void(int, int)>& f) {
  if (size() == 1 || tasks <= 1) {
    for (int task = 0; task < tasks; ++task) f(task, 0);
    return;
  }
  std::unique_lock lock(mutex_);
  MECHFIT_CHECK(function_ == nullptr, "run is not reentrant");
  function_ = &f;
  tasks_ = tasks;
  next_ = 0;
  error_ = nullptr;
  ++calls_;
  wake_.notify_all();
  work(0, lock);
  lock.unlock();
  spin_until([this] { return running_ == 0; });
  lock.lock();
  done_.wait(lock, [this] { return running_ == 0 && next_ >= tasks_; });
  function_ = nullptr;
  if (error_) std::rethrow_exception(error_);
}

}  // namespace mechfit
