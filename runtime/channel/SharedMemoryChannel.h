#ifndef DSC_RUNTIME_CHANNEL_SHAREDMEMORYCHANNEL_H
#define DSC_RUNTIME_CHANNEL_SHAREDMEMORYCHANNEL_H

#include "runtime/channel/Channel.h"
#include "runtime/channel/RateLimit.h"
#include "runtime/channel/SharedWorld.h"
#include "runtime/channel/Slices.h"

namespace dsc::runtime {

/// The channel between processes of one host. An exchange runs in rounds: in
/// each, a rank publishes something and takes what is for it from the others.
/// Nobody publishes a round before it has taken all of the one before.
///
/// A large message is read directly out of the memory of the rank that has it:
/// one round says where it lies and a second one that all have taken it. Small
/// ones, and all of them where the system does not let every rank read every
/// other, go in pieces through outboxes in the shared memory. An outbox holds
/// two rounds, so a rank may overwrite one as soon as it has seen everybody's
/// next.
class SharedMemoryChannel final : public Channel {
public:
  using Channel::allGather;
  using Channel::allToAll;

  /// Makes this process a rank of the world, which no other process may be.
  static Result<std::unique_ptr<SharedMemoryChannel>>
  join(std::shared_ptr<SharedWorld> world, uint32_t rank, bool spins);

  uint32_t rank() const override { return self; }
  uint32_t size() const override { return world->size(); }
  Status allGather(std::span<const Message> messages) override;
  Status allToAll(std::span<const Message> messages) override;
  Status send(uint32_t receiver, const void *src, uint64_t bytes) override;
  Status receive(uint32_t sender, void *dst, uint64_t bytes) override;
  Status barrier() override;
  void expect(std::span<const std::string> labels) override;
  uint64_t receivedBytes() const override {
    return world->slot(self).received.load(std::memory_order_relaxed);
  }

  /// How often this rank has told the others something, and waited for all of
  /// them to do as much.
  uint32_t rounds() const { return round; }

  /// Whether large messages are read directly; known after a collective.
  bool isDirect() const { return access == Access::Direct; }

private:
  enum class Access { Unknown, Direct, Outboxes };

  SharedMemoryChannel(std::shared_ptr<SharedWorld> world, uint32_t rank,
                      bool spins, RateLimit limit)
      : world(std::move(world)), self(rank), wait(spins), limit(limit) {}

  RankSlot &mine() { return world->slot(self); }
  void begin(Exchange exchange, uint64_t bytes, uint32_t partner,
             size_t labelCount = 1);
  Status beginCollective(Exchange exchange,
                         std::span<const Message> messages = {});
  Status end();

  /// Begins a round; returns its number.
  uint32_t publish(const void *source);
  /// Waits for each other rank's round, and takes from it: `take(peer, source)`
  /// with the address that it published.
  template <typename Take> Status collect(uint32_t current, Take take);
  /// A round through the outboxes: `write(box)` fills this rank's, and
  /// `read(peer, box)` takes from another's.
  template <typename Write, typename Read>
  Status runRound(Write write, Read read);
  /// A round without content, by which all know that all have come here.
  Status meet();
  Status compare(uint32_t peer, const RankSlot::Header &theirs) const;

  Status findAccess();
  bool isDirect(uint64_t bytes) const {
    return isDirect() && bytes >= world->directBytes();
  }
  /// The most that any rank sends to another.
  uint64_t largestOf(std::span<const Message> messages) const;
  /// Copies out of another rank's memory. What fails is kept for end().
  void pull(uint32_t peer, uint64_t source, void *dst, uint64_t bytes);
  void take(void *dst, const std::byte *box, uint64_t bytes);

  /// A round that says where each message lies, and reading from there:
  /// `take(peer, message, source)`.
  template <typename Take>
  Status exchangeDirectly(std::span<const Message> messages, Take take);

  std::shared_ptr<SharedWorld> world;
  uint32_t self;
  SharedWait wait;
  RateLimit limit;
  uint64_t receivedBefore = 0; ///< When the exchange in progress began.
  Access access = Access::Unknown;
  uint32_t round = 0;
  RankSlot::Header call = {}; ///< The exchange in progress.
  Status unread;              ///< Why a peer's memory could not be read.
  std::span<const std::string> labels;
  size_t nextLabel = 0;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_SHAREDMEMORYCHANNEL_H
