#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mechfit {

// One for each core, at least one.
int default_threads();

// A fixed team of threads. run(tasks, f) calls f(task, worker) for task = 0 .. tasks-1 and returns
// when all are done; the caller is worker 0, worker < size() names the scratch memory to use. Which
// worker gets which task is not fixed, so results must be stored per task. The first exception of a
// task is thrown again by run. Allocates nothing. Training calls run every few hundred
// microseconds, so idle workers spin briefly before they sleep.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  template <class Function>
  void run(int tasks, Function&& f) {
    run_all(tasks, std::ref(f));  // a reference fits into std::function, captures need not
  }

 private:
  void run_all(int tasks, const std::function<void(int task, int worker)>& f);
  void work(int worker, std::unique_lock<std::mutex>& lock);
  template <class Condition>
  static void spin_until(const Condition& condition);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int, int)>* function_ = nullptr;
  int tasks_ = 0, next_ = 0;
  std::atomic<int> running_ = 0, calls_ = 0;  // workers at work, calls of run
  bool stop_ = false;
  std::exception_ptr error_;
};

}  // namespace mechfit
