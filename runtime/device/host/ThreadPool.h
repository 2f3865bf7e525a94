#ifndef DSC_RUNTIME_DEVICE_HOST_THREADPOOL_H
#define DSC_RUNTIME_DEVICE_HOST_THREADPOOL_H

#include "runtime/abi/dsrt.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace dsc::runtime {

/// The threads of one rank: the caller of run() and `threads - 1` workers.
///
/// A grid is cut into one section for each thread, and a section into chunks. A
/// thread takes the chunks of its own section first, so that equal grids find
/// their data in the same caches, and then helps the others. run() may be
/// called from one thread at a time.
class ThreadPool {
public:
  /// Starts the workers; `threads` is at least 1. Throws std::system_error if
  /// the system does not give that many.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned size() const { return threadCount; }

  /// Runs kernel(args, begin, end) over [0, grid) and returns when all of it is
  /// done. Allocates nothing.
  void run(dsrt_kernel kernel, void *const *args, int64_t grid);

private:
  /// The chunks of one section that nobody has taken yet. One word holds the
  /// number of the job, the chunk count and the next chunk, so that a worker
  /// that wakes up late cannot take a chunk of a job that it has not seen.
  struct alignas(64) Section {
    std::atomic<uint64_t> word{0};
  };

  struct Job {
    dsrt_kernel kernel;
    void *const *args;
    int64_t grid;
    uint32_t chunks;     ///< In all sections together.
    uint32_t perSection; ///< In each section but perhaps the last ones.
  };

  void work(unsigned self);
  void stop();
  void takeChunks(unsigned self, uint32_t number);
  bool takeChunk(unsigned section, uint32_t number);

  const unsigned threadCount;
  std::unique_ptr<Section[]> sections;
  Job job;
  alignas(64) std::atomic<uint32_t> jobNumber{0};
  alignas(64) std::atomic<uint32_t> unfinished{0};
  std::atomic<bool> stopping{false};
  std::vector<std::thread> workers;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DEVICE_HOST_THREADPOOL_H
