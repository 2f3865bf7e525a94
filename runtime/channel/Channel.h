#ifndef DSC_RUNTIME_CHANNEL_CHANNEL_H
#define DSC_RUNTIME_CHANNEL_CHANNEL_H

#include "runtime/base/Status.h"
#include "runtime/channel/Slices.h"

#include <cstdint>
#include <span>
#include <string>

namespace dsc::runtime {

/// Moves bytes between the ranks of a run; no maths. All ranks make the same
/// calls in the same order. Called by one thread at a time: the communication
/// stream's while an entry runs, the session's between entries.
class Channel {
public:
  virtual ~Channel() = default;

  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;

  /// What one collective does for one array of ranges, one a rank, that lie in
  /// rank order.
  struct Message {
    const void *src;
    void *dst;
    Slices ranges;
  };

  /// Puts the range of each rank, which it has at `src`, into `dst`. The source
  /// may be the rank's own place there. Of several messages, all are one
  /// exchange: ranks wait for one another as often as for one.
  virtual Status allGather(std::span<const Message> messages) = 0;

  /// Sends range r of `src` to each other rank r, and puts what rank r sent, of
  /// which each is as large as this rank's range, into slice r of `dst`. The
  /// rank's own slice stays in `src` alone. The buffers do not overlap.
  virtual Status allToAll(std::span<const Message> messages) = 0;

  /// The same for one message, with equal ranges or rank r's of `bytesOf[r]`.
  Status allGather(const void *shard, void *full, uint64_t shardBytes) {
    return gatherOne({shard, full, Slices(shardBytes, size())});
  }
  Status allGather(const void *shard, void *full,
                   std::span<const uint64_t> bytesOf) {
    return gatherOne({shard, full, Slices(bytesOf)});
  }
  Status allToAll(const void *src, void *dst, uint64_t bytesPerRank) {
    return exchangeOne({src, dst, Slices(bytesPerRank, size())});
  }
  Status allToAll(const void *src, void *dst,
                  std::span<const uint64_t> bytesOf) {
    return exchangeOne({src, dst, Slices(bytesOf)});
  }

  /// Sends to one other rank, which receives as many bytes. Returns when the
  /// receiver has them, so two ranks that send to each other at the same time
  /// wait for ever; `allToAll` is for that.
  virtual Status send(uint32_t receiver, const void *src, uint64_t bytes) = 0;
  virtual Status receive(uint32_t sender, void *dst, uint64_t bytes) = 0;

  /// Returns when all ranks have called it.
  virtual Status barrier() = 0;

  /// Bytes that other ranks have sent to this one so far. Read by the thread
  /// that calls the rest, or while nobody does.
  virtual uint64_t receivedBytes() const { return 0; }

  /// Says what the next messages are for, one label each; the last one stands
  /// for all that follow it, and the first of an exchange for the exchange.
  /// Read while they run, to name the one that hangs.
  virtual void expect(std::span<const std::string> labels) { (void)labels; }

private:
  Status gatherOne(const Message &message) {
    return allGather(std::span(&message, 1));
  }
  Status exchangeOne(const Message &message) {
    return allToAll(std::span(&message, 1));
  }
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_CHANNEL_H
