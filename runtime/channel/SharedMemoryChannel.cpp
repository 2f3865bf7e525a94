#include "runtime/channel/SharedMemoryChannel.h"
#include "runtime/channel/PeerMemory.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

constexpr uint64_t kPiece = SharedWorld::kPieceBytes;

/// A large message is read in parts of this size, so that a watchdog sees it
/// move.
constexpr uint64_t kPart = uint64_t(64) << 20;

const std::byte *at(const void *memory, uint64_t offset) {
  return static_cast<const std::byte *>(memory) + offset;
}
std::byte *at(void *memory, uint64_t offset) {
  return static_cast<std::byte *>(memory) + offset;
}

/// Bytes of a message of `bytes` that travel from `offset` on in one piece.
uint64_t pieceOf(uint64_t bytes, uint64_t offset, uint64_t most) {
  return offset < bytes ? std::min(bytes - offset, most) : 0;
}

void copyBytes(void *dst, const void *src, uint64_t bytes) {
  if (bytes && dst != src)
    std::memcpy(dst, src, bytes);
}

} // namespace

Result<std::unique_ptr<SharedMemoryChannel>>
SharedMemoryChannel::join(std::shared_ptr<SharedWorld> world, uint32_t rank,
                          bool spins) {
  if (rank >= world->size())
    return usageError("there is no rank ", rank, " among ", world->size());
  if (int32_t none = 0;
      !world->slot(rank).process.compare_exchange_strong(none, getpid()))
    return usageError("rank ", rank, " is started twice");
  allowSiblingsToRead();
  return std::unique_ptr<SharedMemoryChannel>(
      new SharedMemoryChannel(std::move(world), rank, spins));
}

void SharedMemoryChannel::expect(std::span<const std::string> next) {
  labels = next;
  nextLabel = 0;
}

void SharedMemoryChannel::begin(Exchange exchange, uint64_t bytes,
                                uint32_t partner) {
  RankSlot &slot = mine();
  slot.label[0] = '\0';
  if (!labels.empty()) {
    const std::string &label = labels[std::min(nextLabel, labels.size() - 1)];
    size_t length = std::min(label.size(), sizeof(slot.label) - 1);
    std::memcpy(slot.label, label.data(), length);
    slot.label[length] = '\0';
    ++nextLabel;
  }
  slot.bytes.store(bytes);
  slot.exchange.store(uint32_t(exchange));
  slot.partner.store(partner);
  call = {slot.begun.fetch_add(1) + 1, bytes, exchange, 0};
}

Status SharedMemoryChannel::beginCollective(Exchange exchange, uint64_t bytes) {
  begin(exchange, bytes, self);
  return access == Access::Unknown ? findAccess() : Status();
}

Status SharedMemoryChannel::end() {
  mine().finished.fetch_add(1);
  return unread;
}

/// Whether a peer makes the same call. All ranks must, so one that does not has
/// another module or other data.
Status SharedMemoryChannel::compare(uint32_t peer,
                                    const RankSlot::Header &theirs) const {
  if (theirs.exchange == call.exchange && theirs.bytes == call.bytes)
    return {};
  return internalError("the ranks disagree on collective ", call.number,
                       ": rank ", self, " makes an ", nameOf(call.exchange),
                       " of ", call.bytes, " bytes and rank ", peer, " an ",
                       nameOf(theirs.exchange), " of ", theirs.bytes);
}

uint32_t SharedMemoryChannel::publish(const void *source) {
  uint32_t current = round++;
  call.source = reinterpret_cast<uint64_t>(source);
  mine().headers[current % 2] = call;
  SharedWait::advance(mine().rounds);
  return current;
}

template <typename Take>
Status SharedMemoryChannel::collect(uint32_t current, Take take) {
  // Each rank begins with its neighbour, so that not all read from one.
  for (uint32_t i = 1; i < size(); ++i) {
    uint32_t peer = (self + i) % size();
    RankSlot &slot = world->slot(peer);
    wait.until(slot.rounds, current + 1);
    const RankSlot::Header &theirs = slot.headers[current % 2];
    DSC_RETURN_IF_ERROR(compare(peer, theirs));
    take(peer, theirs.source);
  }
  return {};
}

template <typename Write, typename Read>
Status SharedMemoryChannel::runRound(Write write, Read read) {
  write(world->outbox(self, round));
  uint32_t current = publish(nullptr);
  return collect(current, [&](uint32_t peer, uint64_t) {
    read(peer, world->outbox(peer, current));
  });
}

Status SharedMemoryChannel::meet() {
  return collect(publish(nullptr), [](uint32_t, uint64_t) {});
}

/// Finds out whether every rank can read every other's memory, which all of
/// them must know before any uses it.
Status SharedMemoryChannel::findAccess() {
  constexpr uint64_t kMark = 0x6d75'7374'2062'6520; // Nothing else has it.
  const uint64_t word = kMark + self;
  bool readsAll = world->directBytes() != UINT64_MAX;
  uint32_t current = publish(&word);
  DSC_RETURN_IF_ERROR(collect(current, [&](uint32_t peer, uint64_t source) {
    uint64_t theirs = 0;
    if (readsAll)
      readsAll = readMemory(world->slot(peer).process.load(), source, &theirs,
                            sizeof(theirs)) == sizeof(theirs) &&
                 theirs == kMark + peer;
  }));
  current = publish(readsAll ? &word : nullptr);
  DSC_RETURN_IF_ERROR(collect(
      current, [&](uint32_t, uint64_t source) { readsAll &= source != 0; }));
  access = readsAll ? Access::Direct : Access::Outboxes;
  return {};
}

void SharedMemoryChannel::pull(uint32_t peer, uint64_t source, void *dst,
                               uint64_t bytes) {
  RankSlot &slot = mine();
  for (uint64_t done = 0; done < bytes;) {
    int64_t read = readMemory(world->slot(peer).process.load(), source + done,
                              at(dst, done), std::min(bytes - done, kPart));
    if (read <= 0) {
      // A rank that is gone does not come to the end of the exchange, and the
      // wait for it there is what a watchdog reports. This is for one that does
      // come.
      unread = internalError("cannot read the memory of rank ", peer, ": ",
                             errnoText(int(-read)));
      return;
    }
    done += read;
    slot.received.fetch_add(read, std::memory_order_relaxed);
  }
}

void SharedMemoryChannel::take(void *dst, const std::byte *box,
                               uint64_t bytes) {
  copyBytes(dst, box, bytes);
  mine().received.fetch_add(bytes, std::memory_order_relaxed);
}

Status SharedMemoryChannel::allGather(const void *shard, void *full,
                                      uint64_t shardBytes) {
  return gather(shard, full, Slices(shardBytes, size()), shardBytes);
}

Status SharedMemoryChannel::allGather(const void *shard, void *full,
                                      std::span<const uint64_t> bytesOf) {
  Slices slices(bytesOf);
  return gather(shard, full, slices, slices.total());
}

Status SharedMemoryChannel::gather(const void *shard, void *full, Slices slices,
                                   uint64_t bytes) {
  DSC_RETURN_IF_ERROR(beginCollective(Exchange::AllGather, bytes));
  const uint64_t largest = slices.largest();
  void *own = at(full, slices.offset(self));
  if (isDirect(largest)) {
    uint32_t current = publish(shard);
    copyBytes(own, shard, slices.size(self));
    DSC_RETURN_IF_ERROR(collect(current, [&](uint32_t peer, uint64_t source) {
      pull(peer, source, at(full, slices.offset(peer)), slices.size(peer));
    }));
    DSC_RETURN_IF_ERROR(meet());
    return end();
  }
  copyBytes(own, shard, slices.size(self));
  uint64_t done = 0;
  do {
    DSC_RETURN_IF_ERROR(runRound(
        [&](std::byte *box) {
          copyBytes(box, at(shard, done),
                    pieceOf(slices.size(self), done, kPiece));
        },
        [&](uint32_t peer, const std::byte *box) {
          take(at(full, slices.offset(peer) + done), box,
               pieceOf(slices.size(peer), done, kPiece));
        }));
    done += kPiece;
  } while (done < largest);
  return end();
}

Status SharedMemoryChannel::allToAll(const void *src, void *dst,
                                     uint64_t bytesPerRank) {
  DSC_RETURN_IF_ERROR(beginCollective(Exchange::AllToAll, bytesPerRank));
  if (isDirect(bytesPerRank))
    return exchangeDirectly(src, dst, bytesPerRank);
  Slices slices(bytesPerRank, size());
  return exchangeInPieces(src, slices, dst, slices, bytesPerRank);
}

Status SharedMemoryChannel::exchangeDirectly(const void *src, void *dst,
                                             uint64_t bytesPerRank) {
  const uint64_t own = self * bytesPerRank;
  uint32_t current = publish(src);
  DSC_RETURN_IF_ERROR(collect(current, [&](uint32_t peer, uint64_t source) {
    pull(peer, source + own, at(dst, peer * bytesPerRank), bytesPerRank);
  }));
  DSC_RETURN_IF_ERROR(meet());
  return end();
}

Status SharedMemoryChannel::exchangeInPieces(const void *src, Slices sent,
                                             void *dst, Slices received,
                                             uint64_t largest) {
  const uint64_t most = kPiece / size();
  uint64_t done = 0;
  do {
    DSC_RETURN_IF_ERROR(runRound(
        [&](std::byte *box) {
          for (uint32_t peer = 0; peer < size(); ++peer)
            if (peer != self)
              copyBytes(box + peer * most, at(src, sent.offset(peer) + done),
                        pieceOf(sent.size(peer), done, most));
        },
        [&](uint32_t peer, const std::byte *box) {
          take(at(dst, received.offset(peer) + done), box + self * most,
               pieceOf(received.size(peer), done, most));
        }));
    done += most;
  } while (done < largest);
  return end();
}

Status SharedMemoryChannel::allToAll(const void *src,
                                     std::span<const uint64_t> sentBytes,
                                     void *dst,
                                     std::span<const uint64_t> receivedBytes) {
  Slices sent(sentBytes), received(receivedBytes);
  // What ranks send differs; that they all are here can be compared.
  DSC_RETURN_IF_ERROR(beginCollective(Exchange::AllToAll, size()));
  mine().bytes.store(sent.total());
  // A round of sizes first: which way they take depends on the largest, and
  // where a rank's slice lies at a peer on the peer's sizes.
  uint64_t largest = sent.largest();
  Status mismatch;
  auto check = [&](uint32_t from, uint64_t bytes, uint32_t to,
                   uint64_t wanted) {
    if (bytes != wanted && mismatch.ok())
      mismatch = internalError("rank ", from, " sends ", bytes,
                               " bytes and rank ", to, " expects ", wanted);
  };
  auto number = [](const std::byte *box, uint64_t index) {
    uint64_t bytes;
    std::memcpy(&bytes, box + index * sizeof(bytes), sizeof(bytes));
    return bytes;
  };
  std::byte *box = world->outbox(self, round);
  copyBytes(box, sentBytes.data(), sentBytes.size_bytes());
  copyBytes(box + sentBytes.size_bytes(), receivedBytes.data(),
            receivedBytes.size_bytes());
  const uint32_t current = publish(src);
  DSC_RETURN_IF_ERROR(collect(current, [&](uint32_t peer, uint64_t) {
    const std::byte *theirs = world->outbox(peer, current);
    for (uint32_t rank = 0; rank < size(); ++rank)
      largest = std::max(largest, number(theirs, rank));
    check(peer, number(theirs, self), self, receivedBytes[peer]);
    check(self, sentBytes[peer], peer, number(theirs, size() + self));
  }));
  DSC_RETURN_IF_ERROR(mismatch);
  if (!isDirect(largest))
    return exchangeInPieces(src, sent, dst, received, largest);

  // All have published, and nobody goes on before this rank does.
  DSC_RETURN_IF_ERROR(collect(current, [&](uint32_t peer, uint64_t source) {
    const std::byte *theirs = world->outbox(peer, current);
    for (uint32_t rank = 0; rank < self; ++rank)
      source += number(theirs, rank);
    pull(peer, source, at(dst, received.offset(peer)), received.size(peer));
  }));
  DSC_RETURN_IF_ERROR(meet());
  return end();
}

Status SharedMemoryChannel::send(uint32_t receiver, const void *src,
                                 uint64_t bytes) {
  if (receiver == self || receiver >= size())
    return internalError("there is no rank ", receiver, " to send to");
  begin(Exchange::Send, bytes, receiver);
  RankSlot &slot = mine();
  call.source = reinterpret_cast<uint64_t>(src);
  const uint64_t most = isDirect(bytes) ? bytes : kPiece;
  uint64_t done = 0;
  do {
    if (!isDirect(bytes))
      copyBytes(world->mailbox(self), at(src, done),
                pieceOf(bytes, done, most));
    slot.mail = call;
    slot.receiver.store(receiver);
    SharedWait::advance(slot.sent);
    wait.until(slot.taken, slot.sent.value.load());
    done += most;
  } while (done < bytes);
  return end();
}

Status SharedMemoryChannel::receive(uint32_t sender, void *dst,
                                    uint64_t bytes) {
  if (sender == self || sender >= size())
    return internalError("there is no rank ", sender, " to receive from");
  begin(Exchange::Receive, bytes, sender);
  RankSlot &slot = world->slot(sender);
  const uint64_t most = isDirect(bytes) ? bytes : kPiece;
  uint64_t done = 0, theirNumber = 0;
  do {
    for (;;) {
      // In this order: what is not yet taken when looked at last was there all
      // the time, so the receiver is its receiver.
      uint32_t sent = slot.sent.value.load();
      uint32_t receiver = slot.receiver.load();
      if (slot.taken.value.load() != sent && receiver == self)
        break;
      wait.until(slot.sent, sent + 1);
    }
    if (slot.mail.bytes != bytes)
      return internalError("rank ", sender, " sends ", slot.mail.bytes,
                           " bytes and rank ", self, " expects ", bytes);
    theirNumber = slot.mail.number;
    if (isDirect(bytes))
      pull(sender, slot.mail.source, dst, bytes);
    else
      take(at(dst, done), world->mailbox(sender), pieceOf(bytes, done, most));
    done += most;
    SharedWait::advance(slot.taken);
  } while (done < bytes);
  if (!unread.ok()) // One that is gone ends nothing any more: see pull().
    while (slot.finished.load() < theirNumber)
      usleep(1000);
  return end();
}

Status SharedMemoryChannel::barrier() {
  DSC_RETURN_IF_ERROR(beginCollective(Exchange::Barrier, 0));
  DSC_RETURN_IF_ERROR(meet());
  return end();
}
