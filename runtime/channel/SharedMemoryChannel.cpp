#include "runtime/channel/SharedMemoryChannel.h"

#include <algorithm>
#include <cstring>

using namespace dsc::runtime;

namespace {

constexpr uint64_t kPiece = SharedWorld::kPieceBytes;

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
  if (world->slot(rank).claimed.exchange(1))
    return usageError("rank ", rank, " is started twice");
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
  number = slot.begun.fetch_add(1) + 1;
}

/// Whether a peer makes the same call. All ranks must, so one that does not has
/// another module or other data.
Status SharedMemoryChannel::compare(uint32_t peer,
                                    const RankSlot::Header &theirs,
                                    Exchange exchange, uint64_t bytes) const {
  if (theirs.exchange == exchange && theirs.bytes == bytes)
    return {};
  return internalError("the ranks disagree on collective ", number, ": rank ",
                       self, " makes an ", nameOf(exchange), " of ", bytes,
                       " bytes and rank ", peer, " an ",
                       nameOf(theirs.exchange), " of ", theirs.bytes);
}

template <typename Write, typename Read>
Status SharedMemoryChannel::runRound(Exchange exchange, uint64_t bytes,
                                     Write write, Read read) {
  uint32_t current = round++;
  write(world->outbox(self, current));
  mine().headers[current % 2] = {number, bytes, exchange};
  SharedWait::advance(mine().rounds);
  // Each rank begins with its neighbour, so that not all read one outbox.
  for (uint32_t i = 1; i < size(); ++i) {
    uint32_t peer = (self + i) % size();
    RankSlot &slot = world->slot(peer);
    wait.until(slot.rounds, current + 1);
    DSC_RETURN_IF_ERROR(
        compare(peer, slot.headers[current % 2], exchange, bytes));
    read(peer, world->outbox(peer, current));
  }
  return {};
}

Status SharedMemoryChannel::allGather(const void *shard, void *full,
                                      uint64_t shardBytes) {
  begin(Exchange::AllGather, shardBytes, self);
  copyBytes(at(full, self * shardBytes), shard, shardBytes);
  uint64_t done = 0;
  do {
    uint64_t piece = pieceOf(shardBytes, done, kPiece);
    DSC_RETURN_IF_ERROR(runRound(
        Exchange::AllGather, shardBytes,
        [&](std::byte *box) { copyBytes(box, at(shard, done), piece); },
        [&](uint32_t peer, const std::byte *box) {
          copyBytes(at(full, peer * shardBytes + done), box, piece);
          received += piece;
        }));
    done += piece;
  } while (done < shardBytes);
  end();
  return {};
}

Status SharedMemoryChannel::allGather(const void *shard, void *full,
                                      std::span<const uint64_t> bytesOf) {
  uint64_t most = 0, total = 0;
  for (uint64_t bytes : bytesOf) {
    most = std::max(most, bytes);
    total += bytes;
  }
  begin(Exchange::AllGather, total, self);
  auto offsetOf = [&](uint32_t rank) {
    uint64_t offset = 0;
    for (uint32_t i = 0; i < rank; ++i)
      offset += bytesOf[i];
    return offset;
  };
  copyBytes(at(full, offsetOf(self)), shard, bytesOf[self]);
  uint64_t done = 0;
  do {
    DSC_RETURN_IF_ERROR(runRound(
        Exchange::AllGather, total,
        [&](std::byte *box) {
          copyBytes(box, at(shard, done), pieceOf(bytesOf[self], done, kPiece));
        },
        [&](uint32_t peer, const std::byte *box) {
          uint64_t piece = pieceOf(bytesOf[peer], done, kPiece);
          copyBytes(at(full, offsetOf(peer) + done), box, piece);
          received += piece;
        }));
    done += kPiece;
  } while (done < most);
  end();
  return {};
}

Status SharedMemoryChannel::allToAll(const void *src, void *dst,
                                     uint64_t bytesPerRank) {
  begin(Exchange::AllToAll, bytesPerRank, self);
  copyBytes(at(dst, self * bytesPerRank), at(src, self * bytesPerRank),
            bytesPerRank);
  const uint64_t most = kPiece / size();
  uint64_t done = 0;
  do {
    uint64_t piece = pieceOf(bytesPerRank, done, most);
    DSC_RETURN_IF_ERROR(runRound(
        Exchange::AllToAll, bytesPerRank,
        [&](std::byte *box) {
          for (uint32_t peer = 0; peer < size(); ++peer)
            if (peer != self)
              copyBytes(box + peer * most, at(src, peer * bytesPerRank + done),
                        piece);
        },
        [&](uint32_t peer, const std::byte *box) {
          copyBytes(at(dst, peer * bytesPerRank + done), box + self * most,
                    piece);
          received += piece;
        }));
    done += piece;
  } while (done < bytesPerRank);
  end();
  return {};
}

Status SharedMemoryChannel::allToAll(const void *src,
                                     std::span<const uint64_t> sentBytes,
                                     void *dst,
                                     std::span<const uint64_t> receivedBytes) {
  auto sum = [](std::span<const uint64_t> bytes) {
    uint64_t total = 0;
    for (uint64_t count : bytes)
      total += count;
    return total;
  };
  begin(Exchange::AllToAll, sum(sentBytes), self);
  // A round of sizes first: all must make as many rounds as the largest needs.
  uint64_t largest = *std::max_element(sentBytes.begin(), sentBytes.end());
  Status mismatch;
  auto check = [&](uint32_t from, uint64_t sent, uint32_t to, uint64_t wanted) {
    if (sent != wanted && mismatch.ok())
      mismatch = internalError("rank ", from, " sends ", sent,
                               " bytes and rank ", to, " expects ", wanted);
  };
  DSC_RETURN_IF_ERROR(runRound(
      Exchange::AllToAll, size(),
      [&](std::byte *box) {
        copyBytes(box, sentBytes.data(), sentBytes.size_bytes());
        copyBytes(box + sentBytes.size_bytes(), receivedBytes.data(),
                  receivedBytes.size_bytes());
      },
      [&](uint32_t peer, const std::byte *box) {
        auto number = [&](uint64_t index) {
          uint64_t bytes;
          std::memcpy(&bytes, box + index * sizeof(bytes), sizeof(bytes));
          return bytes;
        };
        for (uint32_t rank = 0; rank < size(); ++rank)
          largest = std::max(largest, number(rank));
        check(peer, number(self), self, receivedBytes[peer]);
        check(self, sentBytes[peer], peer, number(size() + self));
      }));
  DSC_RETURN_IF_ERROR(mismatch);
  copyBytes(at(dst, sum(receivedBytes.first(self))),
            at(src, sum(sentBytes.first(self))), sentBytes[self]);
  const uint64_t most = kPiece / size();
  for (uint64_t done = 0; done < largest; done += most)
    DSC_RETURN_IF_ERROR(runRound(
        Exchange::AllToAll, size(),
        [&](std::byte *box) {
          uint64_t offset = 0;
          for (uint32_t peer = 0; peer < size(); offset += sentBytes[peer++])
            if (peer != self)
              copyBytes(box + peer * most, at(src, offset + done),
                        pieceOf(sentBytes[peer], done, most));
        },
        [&](uint32_t peer, const std::byte *box) {
          uint64_t piece = pieceOf(receivedBytes[peer], done, most);
          copyBytes(at(dst, sum(receivedBytes.first(peer)) + done),
                    box + self * most, piece);
          received += piece;
        }));
  end();
  return {};
}

Status SharedMemoryChannel::send(uint32_t receiver, const void *src,
                                 uint64_t bytes) {
  if (receiver == self || receiver >= size())
    return internalError("there is no rank ", receiver, " to send to");
  begin(Exchange::Send, bytes, receiver);
  RankSlot &slot = mine();
  uint64_t done = 0;
  do {
    uint64_t piece = pieceOf(bytes, done, kPiece);
    copyBytes(world->mailbox(self), at(src, done), piece);
    slot.mail = {number, bytes, Exchange::Send};
    slot.receiver.store(receiver);
    SharedWait::advance(slot.sent);
    wait.until(slot.taken, slot.sent.value.load());
    done += piece;
  } while (done < bytes);
  end();
  return {};
}

Status SharedMemoryChannel::receive(uint32_t sender, void *dst,
                                    uint64_t bytes) {
  if (sender == self || sender >= size())
    return internalError("there is no rank ", sender, " to receive from");
  begin(Exchange::Receive, bytes, sender);
  RankSlot &slot = world->slot(sender);
  uint64_t done = 0;
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
    uint64_t piece = pieceOf(bytes, done, kPiece);
    copyBytes(at(dst, done), world->mailbox(sender), piece);
    received += piece;
    done += piece;
    SharedWait::advance(slot.taken);
  } while (done < bytes);
  end();
  return {};
}

Status SharedMemoryChannel::barrier() {
  begin(Exchange::Barrier, 0, self);
  DSC_RETURN_IF_ERROR(runRound(
      Exchange::Barrier, 0, [](std::byte *) {},
      [](uint32_t, const std::byte *) {}));
  end();
  return {};
}
