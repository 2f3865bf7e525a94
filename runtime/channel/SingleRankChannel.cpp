#include "runtime/channel/SingleRankChannel.h"

#include <cstring>

using namespace dsc::runtime;

static Status copy(const void *src, void *dst, uint64_t bytes) {
  if (src != dst && bytes)
    std::memcpy(dst, src, bytes);
  return {};
}

Status SingleRankChannel::allGather(const void *shard, void *full,
                                    uint64_t shardBytes) {
  return copy(shard, full, shardBytes);
}

Status SingleRankChannel::allGather(const void *shard, void *full,
                                    std::span<const uint64_t> bytesOf) {
  return copy(shard, full, bytesOf[0]);
}

Status SingleRankChannel::send(uint32_t receiver, const void *, uint64_t) {
  return internalError("there is no rank ", receiver, " to send to");
}

Status SingleRankChannel::receive(uint32_t sender, void *, uint64_t) {
  return internalError("there is no rank ", sender, " to receive from");
}
