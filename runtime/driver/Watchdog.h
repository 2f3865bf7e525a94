#ifndef DSC_RUNTIME_DRIVER_WATCHDOG_H
#define DSC_RUNTIME_DRIVER_WATCHDOG_H

#include "runtime/channel/SharedWorld.h"

#include <string>
#include <vector>

namespace dsc::runtime {

/// Reads in the memory that ranks share how far each has come.
class Watchdog {
public:
  explicit Watchdog(const SharedWorld &world) : world(world) {}

  /// Called every `seconds`; for how long ranks have waited while none moved.
  /// `anyStopped`: the system has stopped a rank.
  double secondsStalled(double seconds, bool anyStopped);

  /// Those for which others wait.
  std::vector<uint32_t> missing() const;

  /// What ranks wait in: `in step 3, collective 17 (gather of fc1 in 'step', an
  /// all-gather of 284 bytes) waits for rank 1`. Empty if none waits.
  std::string describeWait() const;

  /// The latest exchange of a rank, for one that is waited for by nobody yet.
  std::string describeLast(uint32_t rank) const;

private:
  /// A rank that waits for others in an exchange, or -1.
  int findWaiting() const;
  std::string describeExchange(uint32_t rank) const;

  const SharedWorld &world;
  uint64_t seenProgress = 0;
  double stalled = 0;
};

/// `rank 1` or `ranks 1, 3`.
std::string listRanks(const std::vector<uint32_t> &ranks);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_WATCHDOG_H
