#include "mechfit/base/thread_pool.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "mechfit/base/error.h"

namespace mechfit {
namespace {

TEST(ThreadPool, RunsEveryTaskOnceForAnyNumberOfThreads) {
  for (int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 200; ++round) {
      std::vector<int> hits(37, 0);
      pool.run(37, [&](int task, int worker) {
        ASSERT_LT(worker, pool.size());
        hits[static_cast<std::size_t>(task)]++;
      });
      EXPECT_EQ(hits, std::vector<int>(37, 1));
    }
  }
}

TEST(ThreadPool, ThrowsATasksExceptionAgainAndGoesOn) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.run(8,
                        [](int task, int) {
                          if (task == 3) throw std::runtime_error("three");
                        }),
               std::runtime_error);
  int last = 0;
  pool.run(1, [&](int, int) { last = 1; });
  EXPECT_EQ(last, 1);
}

TEST(ThreadPool, RefusesNoThreads) { EXPECT_THROW(ThreadPool(0), CheckError); }

}  // namespace
}  // namespace mechfit
