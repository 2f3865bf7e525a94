#ifndef DSC_RUNTIME_CHANNEL_QUEUEDSTREAM_H
#define DSC_RUNTIME_CHANNEL_QUEUEDSTREAM_H

#include "runtime/abi/dsrt.h"
#include "runtime/base/EventRecorder.h"
#include "runtime/base/Status.h"
#include "runtime/channel/Channel.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

namespace dsc::runtime {

/// A stream of a rank that runs beside the computation, for communication or
/// for transfers: a thread that takes operations from a queue of fixed size, in
/// order. Operations are issued by one thread, the one that runs the entry
/// point; the queue copies what they need, and issuing waits while it is full.
class QueuedStream {
public:
  /// How a stream copies `bytes` from `src` to `dst`.
  using Copy =
      std::function<Status(void *dst, const void *src, uint64_t bytes)>;

  /// The communication stream, which alone calls the channel.
  explicit QueuedStream(Channel &channel);
  /// The transfer stream, which copies by `copy` and takes no collectives.
  explicit QueuedStream(Copy copy);
  ~QueuedStream();
  QueuedStream(const QueuedStream &) = delete;
  QueuedStream &operator=(const QueuedStream &) = delete;

  /// Runs the whole grid on this stream's thread. `nargs` is at most
  /// DSRT_MAX_QUEUED_ARGUMENTS.
  void launch(dsrt_kernel kernel, void *const *args, int32_t nargs,
              int64_t grid);
  void copy(void *dst, const void *src, uint64_t bytes);
  void fillZero(void *dst, uint64_t bytes);
  void allGather(const void *shard, void *full, uint64_t shardBytes);
  void allToAll(const void *src, void *dst, uint64_t bytesPerRank);
  /// The same for sizes that differ by rank, as the channel has them. They must
  /// stay where they are until the operation is done.
  void allGather(const void *shard, void *full,
                 std::span<const uint64_t> bytesOf);
  void allToAll(const void *src, std::span<const uint64_t> sentBytes, void *dst,
                std::span<const uint64_t> receivedBytes);

  /// A point in the stream: all that has been issued so far.
  uint64_t position() const { return issued; }

  /// Returns when everything up to `position` is done.
  void waitFor(uint64_t position);

  /// Has what is issued from now on recorded when it runs, as part of the call
  /// that the recorder counted last; null: no longer.
  void recordTo(EventRecorder *to) { recorder = to; }

  /// The first failure of the channel, or success.
  Status status() const;

private:
  enum class Kind {
    Launch,
    Copy,
    FillZero,
    AllGather,
    AllGatherSizes,
    AllToAll,
    AllToAllSizes,
    Stop
  };

  struct Operation {
    Kind kind;
    dsrt_kernel kernel;
    void *dst;
    const void *src;
    uint64_t bytes; ///< Unless sizes differ by rank.
    std::span<const uint64_t> sentBytes, receivedBytes;
    int64_t grid;
    EventRecorder *recorder; ///< Null: it is not timed.
    uint32_t ordinal;
    std::array<void *, DSRT_MAX_QUEUED_ARGUMENTS> args;
  };

  /// The slot for the next operation, waiting for one to become free.
  Operation &nextSlot(Kind kind);
  void issue();
  QueuedStream(uint32_t number, Channel *channel, Copy copy);
  void serve();
  Status execute(const Operation &operation);

  static constexpr uint64_t kCapacity = 256;

  const uint32_t number; ///< DSRT_STREAM_...
  Channel *const channel;
  const Copy copyBytes;
  std::unique_ptr<Operation[]> queue;
  uint64_t issued = 0;               ///< The issuer's own copy of `published`.
  EventRecorder *recorder = nullptr; ///< The issuer's.
  alignas(64) std::atomic<uint64_t> published{0};
  alignas(64) std::atomic<uint64_t> finished{0};
  std::atomic<bool> failed{false};
  mutable std::mutex failureLock;
  Status failure;
  std::thread thread;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_QUEUEDSTREAM_H
