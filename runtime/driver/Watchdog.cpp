#include "runtime/driver/Watchdog.h"

#include <cstring>

using namespace dsc::runtime;

namespace {

bool isWaiting(const RankSlot &slot) {
  return slot.begun.load() != slot.finished.load();
}

Exchange exchangeOf(const RankSlot &slot) {
  return Exchange(slot.exchange.load());
}

/// Whether it waits for one rank and not for all.
bool isPaired(const RankSlot &slot) {
  return exchangeOf(slot) == Exchange::Send ||
         exchangeOf(slot) == Exchange::Receive;
}

} // namespace

std::string dsc::runtime::listRanks(const std::vector<uint32_t> &ranks) {
  std::string list = ranks.size() == 1 ? "rank " : "ranks ";
  for (size_t i = 0; i < ranks.size(); ++i)
    list += concat(i ? ", " : "", ranks[i]);
  return list;
}

double Watchdog::secondsStalled(double seconds, bool anyStopped) {
  uint64_t progress = 0;
  bool anyWaiting = false;
  for (uint32_t rank = 0; rank < world.size(); ++rank) {
    const RankSlot &slot = world.slot(rank);
    progress += slot.rounds.value.load() + slot.sent.value.load() +
                slot.taken.value.load() + slot.begun.load() +
                slot.finished.load() + slot.received.load() + slot.ended.load();
    anyWaiting |= isWaiting(slot);
  }
  bool moves = progress != seenProgress || !(anyWaiting || anyStopped);
  stalled = moves ? 0 : stalled + seconds;
  seenProgress = progress;
  return stalled;
}

int Watchdog::findWaiting() const {
  // The one that is furthest waits for all that are not there yet; a pair
  // matters only where no such exchange hangs.
  int found = -1;
  for (uint32_t rank = 0; rank < world.size(); ++rank) {
    const RankSlot &slot = world.slot(rank);
    if (!isWaiting(slot))
      continue;
    bool replaces = found < 0 || isPaired(world.slot(found));
    if (!isPaired(slot) && !replaces)
      replaces = int32_t(slot.rounds.value.load() -
                         world.slot(found).rounds.value.load()) > 0;
    else if (isPaired(slot) && found >= 0)
      replaces = false;
    if (replaces)
      found = int(rank);
  }
  return found;
}

std::vector<uint32_t> Watchdog::missing() const {
  std::vector<uint32_t> ranks;
  int waiting = findWaiting();
  if (waiting < 0)
    return ranks;
  const RankSlot &slot = world.slot(waiting);
  if (isPaired(slot))
    return {slot.partner.load()};
  uint32_t rounds = slot.rounds.value.load();
  for (uint32_t rank = 0; rank < world.size(); ++rank)
    if (int32_t(world.slot(rank).rounds.value.load() - rounds) < 0)
      ranks.push_back(rank);
  return ranks;
}

std::string Watchdog::describeExchange(uint32_t rank) const {
  const RankSlot &slot = world.slot(rank);
  std::string label(slot.label, strnlen(slot.label, sizeof(slot.label)));
  uint64_t step = slot.step.load();
  return concat(step ? concat("in step ", step, ", ") : "", "collective ",
                slot.begun.load(), " (", label, label.empty() ? "" : ", ",
                nameOf(exchangeOf(slot)), " of ", slot.bytes.load(), " bytes)");
}

std::string Watchdog::describeWait() const {
  int waiting = findWaiting();
  if (waiting < 0)
    return "";
  std::vector<uint32_t> ranks = missing();
  if (ranks.empty()) // All have come, and one does not go on.
    return describeExchange(waiting) + " does not end";
  return describeExchange(waiting) + " waits for " + listRanks(ranks);
}

std::string Watchdog::describeLast(uint32_t rank) const {
  if (world.slot(rank).begun.load() == 0)
    return "before its first collective";
  return "its last was " + describeExchange(rank);
}
