#ifndef DSC_RUNTIME_CHANNEL_SINGLERANKCHANNEL_H
#define DSC_RUNTIME_CHANNEL_SINGLERANKCHANNEL_H

#include "runtime/channel/Channel.h"

namespace dsc::runtime {

/// The channel of a run with one rank, where every collective is a copy.
class SingleRankChannel final : public Channel {
public:
  uint32_t rank() const override { return 0; }
  uint32_t size() const override { return 1; }
  Status allGather(const void *shard, void *full, uint64_t shardBytes) override;
  Status allToAll(const void *src, void *dst, uint64_t bytesPerRank) override;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_SINGLERANKCHANNEL_H
