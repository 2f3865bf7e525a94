#include "runtime/device/host/ThreadPool.h"
#include "runtime/device/host/Spin.h"

#include <algorithm>

using namespace dsc::runtime;

namespace {

/// Enough that a thread which the system suspends does not hold up the others,
/// few enough that taking one costs nothing.
constexpr uint32_t kChunksPerSection = 4;

uint64_t pack(uint32_t number, uint32_t count) {
  return uint64_t(number) << 32 | uint64_t(count) << 16;
}
uint32_t jobOf(uint64_t word) { return word >> 32; }
uint32_t countOf(uint64_t word) { return (word >> 16) & 0xffff; }
uint32_t nextOf(uint64_t word) { return word & 0xffff; }

/// Start of chunk `index` of `count` over [0, grid).
int64_t chunkBegin(int64_t grid, uint32_t count, uint32_t index) {
  int64_t base = grid / count, rest = grid % count;
  return base * index + std::min<int64_t>(index, rest);
}

} // namespace

ThreadPool::ThreadPool(unsigned threads)
    : threadCount(std::max(threads, 1u)),
      sections(std::make_unique<Section[]>(threadCount)), job() {
  try {
    for (unsigned self = 1; self < threadCount; ++self)
      workers.emplace_back([this, self] { work(self); });
  } catch (...) {
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  stopping.store(true, std::memory_order_relaxed);
  jobNumber.fetch_add(1, std::memory_order_release);
  jobNumber.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::run(dsrt_kernel kernel, void *const *args, int64_t grid) {
  if (grid <= 0)
    return;
  if (grid == 1 || threadCount == 1)
    return kernel(args, 0, grid);

  uint32_t perSection =
      std::clamp<int64_t>(grid / threadCount, 1, kChunksPerSection);
  uint32_t chunks = std::min<int64_t>(grid, int64_t(perSection) * threadCount);
  uint32_t number = jobNumber.load(std::memory_order_relaxed) + 1;
  job = {kernel, args, grid, chunks, perSection};
  unfinished.store(chunks, std::memory_order_relaxed);
  for (unsigned i = 0; i < threadCount; ++i) {
    uint32_t first = std::min(i * perSection, chunks);
    uint32_t count = std::min(perSection, chunks - first);
    sections[i].word.store(pack(number, count), std::memory_order_release);
  }
  jobNumber.store(number, std::memory_order_release);
  jobNumber.notify_all();

  takeChunks(0, number);
  for (uint32_t left = unfinished.load(std::memory_order_acquire); left != 0;)
    left = waitForChange(unfinished, left);
}

void ThreadPool::work(unsigned self) {
  uint32_t seen = 0;
  for (;;) {
    seen = waitForChange(jobNumber, seen);
    if (stopping.load(std::memory_order_relaxed))
      return;
    takeChunks(self, seen);
  }
}

void ThreadPool::takeChunks(unsigned self, uint32_t number) {
  for (unsigned i = 0; i < threadCount; ++i)
    while (takeChunk((self + i) % threadCount, number)) {
    }
}

bool ThreadPool::takeChunk(unsigned section, uint32_t number) {
  std::atomic<uint64_t> &word = sections[section].word;
  uint64_t now = word.load(std::memory_order_acquire);
  do {
    if (jobOf(now) != number || nextOf(now) >= countOf(now))
      return false;
  } while (!word.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel,
                                       std::memory_order_acquire));
  // The job stays as it is until this chunk is counted as done.
  uint32_t chunk = section * job.perSection + nextOf(now);
  job.kernel(job.args, chunkBegin(job.grid, job.chunks, chunk),
             chunkBegin(job.grid, job.chunks, chunk + 1));
  if (unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1)
    unfinished.notify_one();
  return true;
}
