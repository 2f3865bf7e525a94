#ifndef DSC_RUNTIME_CHANNEL_SHAREDMEMORYCHANNEL_H
#define DSC_RUNTIME_CHANNEL_SHAREDMEMORYCHANNEL_H

#include "runtime/channel/Channel.h"
#include "runtime/channel/SharedWorld.h"

namespace dsc::runtime {

/// The channel between processes of one host. An exchange runs in rounds: in
/// each, a rank puts a piece into its outbox and takes from the others' what is
/// for it. An outbox holds two rounds, and nobody publishes a round before it
/// has taken all of the one before: so a rank may overwrite a round as soon as
/// it has seen everybody's next.
class SharedMemoryChannel final : public Channel {
public:
  /// Makes this process a rank of the world, which no other process may be.
  static Result<std::unique_ptr<SharedMemoryChannel>>
  join(std::shared_ptr<SharedWorld> world, uint32_t rank, bool spins);

  uint32_t rank() const override { return self; }
  uint32_t size() const override { return world->size(); }
  Status allGather(const void *shard, void *full, uint64_t shardBytes) override;
  Status allGather(const void *shard, void *full,
                   std::span<const uint64_t> bytesOf) override;
  Status allToAll(const void *src, void *dst, uint64_t bytesPerRank) override;
  Status allToAll(const void *src, std::span<const uint64_t> sentBytes,
                  void *dst, std::span<const uint64_t> receivedBytes) override;
  Status send(uint32_t receiver, const void *src, uint64_t bytes) override;
  Status receive(uint32_t sender, void *dst, uint64_t bytes) override;
  Status barrier() override;
  void expect(std::span<const std::string> labels) override;

  uint64_t receivedBytes() const override { return received; }

private:
  SharedMemoryChannel(std::shared_ptr<SharedWorld> world, uint32_t rank,
                      bool spins)
      : world(std::move(world)), self(rank), wait(spins) {}

  RankSlot &mine() { return world->slot(self); }
  void begin(Exchange exchange, uint64_t bytes, uint32_t partner);
  void end() { mine().finished.fetch_add(1); }

  /// One round: `write` fills the outbox, `read` takes from another rank's.
  template <typename Write, typename Read>
  Status runRound(Exchange exchange, uint64_t bytes, Write write, Read read);
  Status compare(uint32_t peer, const RankSlot::Header &theirs,
                 Exchange exchange, uint64_t bytes) const;

  std::shared_ptr<SharedWorld> world;
  uint32_t self;
  SharedWait wait;
  uint32_t round = 0;
  uint64_t number = 0, received = 0;
  std::span<const std::string> labels;
  size_t nextLabel = 0;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_SHAREDMEMORYCHANNEL_H
