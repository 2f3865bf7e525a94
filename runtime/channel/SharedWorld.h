#ifndef DSC_RUNTIME_CHANNEL_SHAREDWORLD_H
#define DSC_RUNTIME_CHANNEL_SHAREDWORLD_H

#include "runtime/base/Status.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace dsc::runtime {

/// What kind of exchange a rank is in.
enum class Exchange : uint32_t {
  None,
  AllGather,
  AllToAll,
  Send,
  Receive,
  Barrier
};
const char *nameOf(Exchange exchange);

/// One rank's share of the memory that all ranks map: written by the rank, read
/// by its peers and by the process that watches over them.
struct alignas(64) RankSlot {
  /// A counter that others wait on, with how many do: nobody is woken where
  /// nobody sleeps.
  struct alignas(64) Counter {
    std::atomic<uint32_t> value;
    std::atomic<uint32_t> waiters;
  };

  /// What a round of an exchange carries: first of all what makes ranks which
  /// do not make the same call find out.
  struct Header {
    uint64_t number; ///< Of the exchange, from 1.
    uint64_t bytes;
    Exchange exchange;
    uint64_t source; ///< Address in the rank's own memory, for a direct copy.
  };

  Counter rounds;                 ///< Rounds that lie in the outbox, or did.
  Counter sent;                   ///< Pieces that lie in the mailbox, or did.
  Counter taken;                  ///< Pieces that the receiver has taken.
  Header headers[2];              ///< Of the latest two rounds.
  Header mail;                    ///< Of the piece in the mailbox.
  std::atomic<uint32_t> receiver; ///< Whom that is for.

  std::atomic<int32_t> process;          ///< That is this rank; 0: none yet.
  std::atomic<int32_t> comer;            ///< That has come to be this rank.
  std::atomic<uint32_t> ended;           ///< Whether it has left in good order.
  std::atomic<uint64_t> begun, finished; ///< Exchanges.
  std::atomic<uint64_t> step;            ///< Update in progress, from 1.
  std::atomic<uint64_t> received;        ///< Bytes from other ranks.
  std::atomic<uint64_t> bytes;           ///< Of the latest exchange.
  std::atomic<uint32_t> exchange;        ///< Its Exchange.
  std::atomic<uint32_t> partner;         ///< Of a send or receive.
  char label[192];                       ///< What it is for; may be empty.

  std::atomic<uint32_t> failure; ///< An ErrorKind, 0 while all is well.
  char message[1536];            ///< Its sentence.
};

/// The memory that the ranks of a run share: made by one process, and inherited
/// by those that it forks or mapped by those that it hands the descriptor. It
/// has no name, so the system frees it with the last of them, however they end.
class SharedWorld {
public:
  /// Half an outbox, large enough that waiting costs little against copying and
  /// small enough to stay in a core's cache between writer and readers.
  static constexpr uint64_t kPieceBytes = uint64_t(256) << 10;

  /// From this size on, ranks read a message out of each other's memory, which
  /// costs one copy and a second wait, where the system lets all of them.
  static constexpr uint64_t kDirectBytes = uint64_t(64) << 10;

  /// `directBytes` is for tests, which try both ways at all sizes.
  static Result<std::shared_ptr<SharedWorld>>
  create(uint32_t ranks, uint64_t directBytes = kDirectBytes);

  /// The same for processes that are not forked from this one: with a file
  /// descriptor, which has no path.
  static Result<std::shared_ptr<SharedWorld>> createForOthers(uint32_t ranks);
  /// Maps such a world. Takes the descriptor.
  static Result<std::shared_ptr<SharedWorld>> attach(int descriptor,
                                                     uint32_t ranks);
  ~SharedWorld();
  SharedWorld(const SharedWorld &) = delete;
  SharedWorld &operator=(const SharedWorld &) = delete;

  uint32_t size() const { return ranks; }
  uint64_t bytes() const { return mappedBytes; }
  uint64_t directBytes() const { return directFrom; }
  int descriptor() const { return file; } ///< -1: there is none.

  RankSlot &slot(uint32_t rank) const { return slots[rank]; }

  /// Where a rank puts its round for the others: kPieceBytes.
  std::byte *outbox(uint32_t rank, uint32_t round) const {
    return data + (uint64_t(rank) * 3 + round % 2) * kPieceBytes;
  }
  /// Where it puts what it sends to one of them.
  std::byte *mailbox(uint32_t rank) const {
    return data + (uint64_t(rank) * 3 + 2) * kPieceBytes;
  }

  /// The update after which all ranks stop, 0 for none. Rank 0 sets it.
  std::atomic<uint64_t> &lastStep() const { return control->lastStep; }
  /// Whether the user wants the run to end.
  std::atomic<uint64_t> &interrupted() const { return control->interrupted; }
  /// Of ranks that watch each other, the one that says what is wrong, from 1.
  std::atomic<uint32_t> &reporter() const { return control->reporter; }
  /// The exit code that they all end with, once it is said.
  std::atomic<uint32_t> &exitCode() const { return control->exitCode; }

private:
  struct Control {
    std::atomic<uint64_t> lastStep, interrupted;
    std::atomic<uint32_t> reporter, exitCode;
  };

  SharedWorld() = default;
  /// Without a descriptor, memory that only a fork inherits.
  static Result<std::shared_ptr<SharedWorld>> map(uint32_t ranks, int file);
  void initialise();

  uint32_t ranks = 0;
  int file = -1;
  uint64_t mappedBytes = 0, directFrom = kDirectBytes;
  std::byte *base = nullptr, *data = nullptr;
  RankSlot *slots = nullptr;
  Control *control = nullptr;
};

/// Waits on a counter of a slot, which another process may change.
class SharedWait {
public:
  /// With `spins`, a waiting rank keeps its core for a while before it sleeps;
  /// for ranks that have a core for each of their threads.
  explicit SharedWait(bool spins) : spins(spins) {}

  /// Returns when the counter is `target` or beyond it.
  void until(RankSlot::Counter &counter, uint32_t target) const;
  static void advance(RankSlot::Counter &counter);

private:
  bool spins;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_SHAREDWORLD_H
