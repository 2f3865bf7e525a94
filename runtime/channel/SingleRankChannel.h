#ifndef DSC_RUNTIME_CHANNEL_SINGLERANKCHANNEL_H
#define DSC_RUNTIME_CHANNEL_SINGLERANKCHANNEL_H

#include "runtime/channel/Channel.h"

namespace dsc::runtime {

/// The channel of a run with one rank, where a gather is a copy and there is
/// nobody to send to.
class SingleRankChannel : public Channel {
public:
  using Channel::allGather;
  using Channel::allToAll;

  uint32_t rank() const override { return 0; }
  uint32_t size() const override { return 1; }
  Status allGather(std::span<const Message> messages) override;
  Status allToAll(std::span<const Message>) override { return {}; }
  Status send(uint32_t receiver, const void *src, uint64_t bytes) override;
  Status receive(uint32_t sender, void *dst, uint64_t bytes) override;
  Status barrier() override { return {}; }
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_SINGLERANKCHANNEL_H
