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
#include <thread>
#include <vector>

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
  /// The collectives of the channel. With `more`, the next operation is one of
  /// the same kind, and both are messages of one exchange. Lists of ranges must
  /// stay where they are until the operation is done.
  void allGather(const Channel::Message &message, bool more = false);
  void allToAll(const Channel::Message &message, bool more = false);

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
  enum class Kind { Launch, Copy, FillZero, AllGather, AllToAll, Stop };

  struct Operation {
    Kind kind;
    bool more; ///< Of a collective: the next one is of the same exchange.
    dsrt_kernel kernel;
    void *dst;
    const void *src;
    uint64_t bytes;
    Slices ranges{0, 1};
    int64_t grid;
    EventRecorder *recorder; ///< Null: it is not timed.
    uint32_t ordinal;
    std::array<void *, DSRT_MAX_QUEUED_ARGUMENTS> args;
  };

  /// The slot for the next operation, waiting for one to become free.
  Operation &nextSlot(Kind kind);
  void issue();
  QueuedStream(uint32_t number, Channel *channel, Copy copy);
  void issueCollective(Kind kind, const Channel::Message &message, bool more);
  void serve();
  /// The next operation, once it has been issued; `done` have been run.
  const Operation &await(uint64_t done);
  Status execute(const Operation &operation);
  Status exchange(uint64_t done, uint64_t count);

  static constexpr uint64_t kCapacity = 256;
  /// Messages of one exchange; further ones are the next. Equal on all ranks,
  /// and fewer than the queue holds.
  static constexpr uint64_t kMostJoined = 128;

  const uint32_t number; ///< DSRT_STREAM_...
  Channel *const channel;
  const Copy copyBytes;
  std::unique_ptr<Operation[]> queue;
  std::vector<Channel::Message> messages; ///< Room for those of an exchange.
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
