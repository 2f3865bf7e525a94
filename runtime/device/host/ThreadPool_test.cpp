#include "runtime/device/host/ThreadPool.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>
#include <utility>
#include <vector>

using namespace dsc::runtime;

namespace {

/// Counts in args[0] how often each index of the grid is computed.
void countKernel(void *const *args, int64_t begin, int64_t end) {
  auto *counts = static_cast<uint32_t *>(args[0]);
  for (int64_t i = begin; i < end; ++i)
    ++counts[i];
}

TEST(ThreadPool, ComputesEachIndexOnce) {
  for (unsigned threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (int64_t grid : {0, 1, 2, 3, 7, 8, 31, 32, 33, 1000}) {
      std::vector<uint32_t> counts(grid + 1, 0);
      void *const args[] = {counts.data()};
      pool.run(countKernel, args, grid);
      for (int64_t i = 0; i < grid; ++i)
        EXPECT_EQ(counts[i], 1u) << threads << " threads, index " << i;
      EXPECT_EQ(counts[grid], 0u);
    }
  }
}

// Jobs that follow one another at once: a worker that is late must not touch a
// job that it was not told of.
TEST(ThreadPool, SurvivesManyShortJobs) {
  ThreadPool pool(4);
  std::vector<uint32_t> counts(16, 0);
  void *const args[] = {counts.data()};
  constexpr uint32_t kJobs = 20000;
  for (uint32_t job = 0; job < kJobs; ++job)
    pool.run(countKernel, args, 2 + job % 15);
  EXPECT_EQ(counts[0], kJobs);
  EXPECT_EQ(counts[1], kJobs);
}

// Work of one job is visible to the next, whichever threads run them: each job
// reads what the one before wrote at the mirrored index.
TEST(ThreadPool, OrdersJobs) {
  constexpr int64_t kSize = 256;
  ThreadPool pool(3);
  std::vector<int64_t> from(kSize, 0), to(kSize, 0);
  auto mirror = [](void *const *args, int64_t begin, int64_t end) {
    auto *from = static_cast<const int64_t *>(args[0]);
    auto *to = static_cast<int64_t *>(args[1]);
    for (int64_t i = begin; i < end; ++i)
      to[i] = from[kSize - 1 - i] + 1;
  };
  for (int job = 0; job < 100; ++job) {
    void *const args[] = {from.data(), to.data()};
    pool.run(mirror, args, kSize);
    std::swap(from, to);
  }
  for (int64_t value : from)
    EXPECT_EQ(value, 100);
}

TEST(ThreadPool, SleepingWorkersWakeUp) {
  ThreadPool pool(2);
  std::vector<uint32_t> counts(64, 0);
  void *const args[] = {counts.data()};
  for (int job = 0; job < 5; ++job) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.run(countKernel, args, 64);
  }
  EXPECT_EQ(counts[63], 5u);
}

} // namespace
