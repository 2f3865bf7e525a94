#ifndef DSC_RUNTIME_CHANNEL_CHANNEL_H
#define DSC_RUNTIME_CHANNEL_CHANNEL_H

#include "runtime/base/Status.h"

#include <cstdint>

namespace dsc::runtime {

/// Moves bytes between the ranks of a run; no maths. All ranks make the same
/// calls in the same order. Called by one thread, the communication stream's.
class Channel {
public:
  virtual ~Channel() = default;

  virtual uint32_t rank() const = 0;
  virtual uint32_t size() const = 0;

  /// Puts the `shardBytes` of each rank into `full`, in rank order. The shard
  /// may be the rank's own place in `full`.
  virtual Status allGather(const void *shard, void *full,
                           uint64_t shardBytes) = 0;

  /// Sends slice r of `src` to rank r and puts what rank r sent into slice r of
  /// `dst`. The buffers do not overlap.
  virtual Status allToAll(const void *src, void *dst,
                          uint64_t bytesPerRank) = 0;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_CHANNEL_H
