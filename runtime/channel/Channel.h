#ifndef DSC_RUNTIME_CHANNEL_CHANNEL_H
#define DSC_RUNTIME_CHANNEL_CHANNEL_H

#include "runtime/base/Status.h"

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

  /// Puts the `shardBytes` of each rank into `full`, in rank order. The shard
  /// may be the rank's own place in `full`.
  virtual Status allGather(const void *shard, void *full,
                           uint64_t shardBytes) = 0;

  /// The same for shards of different sizes: rank r's has `bytesOf[r]`.
  virtual Status allGather(const void *shard, void *full,
                           std::span<const uint64_t> bytesOf) = 0;

  /// Sends slice r of `src` to each other rank r and puts what rank r sent into
  /// slice r of `dst`. The rank's own slice stays in `src` alone. The buffers
  /// do not overlap.
  virtual Status allToAll(const void *src, void *dst,
                          uint64_t bytesPerRank) = 0;

  /// The same for slices of different sizes, which lie in rank order: rank r is
  /// sent `sentBytes[r]` and sends `receivedBytes[r]`.
  virtual Status allToAll(const void *src, std::span<const uint64_t> sentBytes,
                          void *dst,
                          std::span<const uint64_t> receivedBytes) = 0;

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

  /// Says what the next collectives are for, one label each; the last one
  /// stands for all that follow it. Read while they run, to name the one that
  /// hangs.
  virtual void expect(std::span<const std::string> labels) { (void)labels; }
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_CHANNEL_H
