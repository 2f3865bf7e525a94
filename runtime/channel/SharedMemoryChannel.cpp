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

/// Bytes of one message in a piece.
struct Part {
  uint64_t offset; ///< In the rank's slice of the message.
  uint64_t bytes;
  uint64_t place; ///< In the piece.
};

/// Visits what lies in the bytes [done, done + most) of all slices of a rank,
/// one after the other.
template <typename Visit>
void forEachPart(std::span<const Channel::Message> messages, uint32_t rank,
                 uint64_t done, uint64_t most, Visit visit) {
  uint64_t begin = 0;
  for (const Channel::Message &message : messages) {
    uint64_t end = begin + message.ranges.size(rank);
    uint64_t first = std::max(begin, done), last = std::min(end, done + most);
    if (first < last)
      visit(message, Part{first - begin, last - first, first - done});
    begin = end;
  }
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
  DSC_ASSIGN(RateLimit limit, RateLimit::fromEnvironment());
  if (int32_t none = 0;
      !world->slot(rank).process.compare_exchange_strong(none, getpid()))
    return usageError("rank ", rank, " is started twice");
  allowSiblingsToRead();
  return std::unique_ptr<SharedMemoryChannel>(
      new SharedMemoryChannel(std::move(world), rank, spins, limit));
}

void SharedMemoryChannel::expect(std::span<const std::string> next) {
  labels = next;
  nextLabel = 0;
}

void SharedMemoryChannel::begin(Exchange exchange, uint64_t bytes,
                                uint32_t partner, size_t labelCount) {
  RankSlot &slot = mine();
  slot.label[0] = '\0';
  if (!labels.empty()) {
    const std::string &label = labels[std::min(nextLabel, labels.size() - 1)];
    size_t length = std::min(label.size(), sizeof(slot.label) - 1);
    std::memcpy(slot.label, label.data(), length);
    slot.label[length] = '\0';
    nextLabel += labelCount;
  }
  receivedBefore = receivedBytes();
  slot.bytes.store(bytes);
  slot.exchange.store(uint32_t(exchange));
  slot.partner.store(partner);
  call = {slot.begun.fetch_add(1) + 1, bytes, exchange, 0};
}

Status SharedMemoryChannel::beginCollective(Exchange exchange,
                                            std::span<const Message> messages) {
  uint64_t bytes = 0;
  for (const Message &message : messages)
    bytes += message.ranges.areEqual() ? message.ranges.size(self)
                                       : message.ranges.total();
  begin(exchange, bytes, self, std::max<size_t>(messages.size(), 1));
  return access == Access::Unknown ? findAccess() : Status();
}

Status SharedMemoryChannel::end() {
  if (limit)
    limit.sleepFor(receivedBytes() - receivedBefore);
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

uint64_t
SharedMemoryChannel::largestOf(std::span<const Message> messages) const {
  uint64_t equal = 0, largest = 0;
  for (const Message &message : messages)
    if (message.ranges.areEqual())
      equal += message.ranges.size(self);
  for (uint32_t rank = 0; rank < size(); ++rank) {
    uint64_t bytes = equal;
    for (const Message &message : messages)
      if (!message.ranges.areEqual())
        bytes += message.ranges.size(rank);
    largest = std::max(largest, bytes);
  }
  return largest;
}

template <typename Take>
Status SharedMemoryChannel::exchangeDirectly(std::span<const Message> messages,
                                             Take take) {
  constexpr size_t kAddresses = kPiece / sizeof(uint64_t);
  for (; !messages.empty();
       messages = messages.subspan(std::min(messages.size(), kAddresses))) {
    auto part = messages.first(std::min(messages.size(), kAddresses));
    std::byte *box = world->outbox(self, round);
    for (const Message &message : part) {
      auto source = reinterpret_cast<uint64_t>(message.src);
      std::memcpy(box, &source, sizeof(source));
      box += sizeof(source);
    }
    uint32_t current = publish(nullptr);
    DSC_RETURN_IF_ERROR(collect(current, [&](uint32_t peer, uint64_t) {
      const std::byte *theirs = world->outbox(peer, current);
      for (const Message &message : part) {
        uint64_t source;
        std::memcpy(&source, theirs, sizeof(source));
        theirs += sizeof(source);
        take(peer, message, source);
      }
    }));
  }
  return meet();
}

Status SharedMemoryChannel::allGather(std::span<const Message> messages) {
  DSC_RETURN_IF_ERROR(beginCollective(Exchange::AllGather, messages));
  for (const Message &message : messages)
    copyBytes(at(message.dst, message.ranges.offset(self)), message.src,
              message.ranges.size(self));
  const uint64_t largest = largestOf(messages);
  // Many small messages go in pieces, of which each holds several.
  if (isDirect(largest / messages.size())) {
    DSC_RETURN_IF_ERROR(exchangeDirectly(
        messages, [&](uint32_t peer, const Message &message, uint64_t source) {
          const Slices &ranges = message.ranges;
          pull(peer, source, at(message.dst, ranges.offset(peer)),
               ranges.size(peer));
        }));
    return end();
  }
  uint64_t done = 0;
  do {
    DSC_RETURN_IF_ERROR(runRound(
        [&](std::byte *box) {
          forEachPart(messages, self, done, kPiece,
                      [&](const Message &message, Part part) {
                        copyBytes(box + part.place,
                                  at(message.src, part.offset), part.bytes);
                      });
        },
        [&](uint32_t peer, const std::byte *box) {
          forEachPart(
              messages, peer, done, kPiece,
              [&](const Message &message, Part part) {
                take(at(message.dst, message.ranges.offset(peer) + part.offset),
                     box + part.place, part.bytes);
              });
        }));
    done += kPiece;
  } while (done < largest);
  return end();
}

Status SharedMemoryChannel::allToAll(std::span<const Message> messages) {
  DSC_RETURN_IF_ERROR(beginCollective(Exchange::AllToAll, messages));
  const uint64_t largest = largestOf(messages);
  if (isDirect(largest / messages.size())) {
    DSC_RETURN_IF_ERROR(exchangeDirectly(
        messages, [&](uint32_t peer, const Message &message, uint64_t source) {
          uint64_t bytes = message.ranges.size(self);
          pull(peer, source + message.ranges.offset(self),
               at(message.dst, peer * bytes), bytes);
        }));
    return end();
  }
  const uint64_t most = kPiece / size();
  uint64_t done = 0;
  do {
    DSC_RETURN_IF_ERROR(runRound(
        [&](std::byte *box) {
          for (uint32_t peer = 0; peer < size(); ++peer)
            if (peer != self)
              forEachPart(messages, peer, done, most,
                          [&](const Message &message, Part part) {
                            copyBytes(
                                box + peer * most + part.place,
                                at(message.src,
                                   message.ranges.offset(peer) + part.offset),
                                part.bytes);
                          });
        },
        [&](uint32_t peer, const std::byte *box) {
          forEachPart(messages, self, done, most,
                      [&](const Message &message, Part part) {
                        take(at(message.dst,
                                peer * message.ranges.size(self) + part.offset),
                             box + self * most + part.place, part.bytes);
                      });
        }));
    done += most;
  } while (done < largest);
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
  DSC_RETURN_IF_ERROR(beginCollective(Exchange::Barrier));
  DSC_RETURN_IF_ERROR(meet());
  return end();
}
