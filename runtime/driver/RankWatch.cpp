#include "runtime/driver/RankWatch.h"
#include "runtime/driver/Report.h"

#include <algorithm>
#include <chrono>

using namespace dsc::runtime;

using Clock = std::chrono::steady_clock;

/// How long the other ranks have, after one is gone, to come to where they miss
/// it or to fail as it did: for the message only.
static constexpr auto kGrace = std::chrono::milliseconds(500);

/// A watch that was itself suspended must not take that for a rank's fault.
static constexpr double kLongestTick = 1;

int RankWatch::watch() {
  Clock::time_point before = Clock::now();
  while (!isOver()) {
    if (int code = wait())
      return code;
    if (int lost = findLost(); lost >= 0)
      return reportLost(lost);
    bool anyStopped = false;
    for (uint32_t rank = 0; rank < world->size(); ++rank) {
      if (hasFailed(rank))
        return reportFailure();
      anyStopped |= isStopped(rank);
    }
    Clock::time_point now = Clock::now();
    double seconds = std::chrono::duration<double>(now - before).count();
    before = now;
    if (watchdog.secondsStalled(std::min(seconds, kLongestTick), anyStopped) >=
        timeout)
      return reportTimeout();
  }
  return 0;
}

/// The first dead rank that others miss, or one that did not end well.
int RankWatch::findLost() const {
  for (uint32_t rank = 0; rank < world->size(); ++rank)
    if (!isAlive(rank) && !endedWell(rank) && !hasFailed(rank))
      return int(rank);
  // One that has left takes part in nothing any more.
  for (uint32_t rank : watchdog.missing())
    if (!isAlive(rank) && !hasFailed(rank))
      return int(rank);
  return -1;
}

bool RankWatch::anyAlive() const {
  for (uint32_t rank = 0; rank < world->size(); ++rank)
    if (isAlive(rank))
      return true;
  return false;
}

bool RankWatch::allFailed() const {
  for (uint32_t rank = 0; rank < world->size(); ++rank)
    if (!hasFailed(rank))
      return false;
  return true;
}

/// Goes on until `done`, but not for long.
template <typename Done> int RankWatch::waitForGrace(Done done) {
  Clock::time_point end = Clock::now() + kGrace;
  while (Clock::now() < end && anyAlive() && !done())
    if (int code = wait())
      return code;
  return 0;
}

int RankWatch::report(int code, const std::string &message) {
  endAll(code);
  log.error(message);
  return code;
}

int RankWatch::reportLost(uint32_t lost) {
  // Until only the dead are missing: who is merely late is not named.
  auto isMissed = [&] {
    std::vector<uint32_t> missing = watchdog.missing();
    return !missing.empty() &&
           std::none_of(missing.begin(), missing.end(),
                        [&](uint32_t rank) { return isAlive(rank); });
  };
  if (int code = waitForGrace(isMissed))
    return code;
  if (!mayReport())
    return kRankLost;
  std::string place =
      isMissed() ? watchdog.describeWait() : watchdog.describeLast(lost);
  return report(kRankLost, concat("rank ", lost, " ", causeOf(lost), "; ",
                                  place, "; the other ranks were ended"));
}

int RankWatch::reportFailure() {
  // What is wrong with the input is wrong for all; that is said once.
  if (int code = waitForGrace([&] { return allFailed(); }))
    return code;
  uint32_t first = 0;
  while (!hasFailed(first))
    ++first;
  const RankSlot &slot = world->slot(first);
  Status failure(ErrorKind(slot.failure.load()), slot.message);
  if (!mayReport())
    return int(failure.kind());
  if (!allFailed() && slot.step.load()) {
    std::string place = watchdog.describeWait();
    failure =
        Status(failure.kind(), concat("rank ", first, ": ", failure.message(),
                                      place.empty() ? "" : "; " + place,
                                      "; the other ranks were ended"));
  }
  return report(int(failure.kind()), sentenceOf(failure));
}

int RankWatch::reportTimeout() {
  if (!mayReport())
    return kRankLost;
  std::string place = watchdog.describeWait(), causes;
  for (uint32_t rank = 0; rank < world->size(); ++rank)
    if (isStopped(rank))
      causes += concat(", rank ", rank, " is stopped");
  return report(kRankLost,
                concat("no rank has moved for ", timeout, " s: ",
                       place.empty() ? "none is in a collective" : place,
                       causes, "; all ranks were ended"));
}
