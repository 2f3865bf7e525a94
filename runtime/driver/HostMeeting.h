#ifndef DSC_RUNTIME_DRIVER_HOSTMEETING_H
#define DSC_RUNTIME_DRIVER_HOSTMEETING_H

#include "runtime/channel/SharedWorld.h"
#include "runtime/driver/LaunchEnvironment.h"

namespace dsc::runtime {

/// Where processes that another program started as the ranks of a job meet.
struct MeetingPlace {
  std::shared_ptr<SharedWorld> world;
  /// How many ranks, with this one, may use this one's cores: all of them,
  /// unless the launcher bound each to some.
  uint32_t sharers = 1;
  /// Of rank 0: where processes that come too late are answered; else -1.
  int listener = -1;
};

/// Waits for all ranks of the job, for at most `timeout` seconds. Rank 0 makes
/// the memory that they share and hands it to the others over a socket in the
/// abstract name space, named after user and job: neither has a file, so
/// nothing is left of them however the ranks end.
Result<MeetingPlace> meetOnHost(const LaunchEnvironment &environment,
                                double timeout);

/// Tells those that have come to `listener` since that all ranks are there.
void refuseLateComers(int listener, uint32_t ranks);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_HOSTMEETING_H
