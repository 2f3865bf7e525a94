#ifndef DSC_RUNTIME_DRIVER_LAUNCHER_H
#define DSC_RUNTIME_DRIVER_LAUNCHER_H

#include "runtime/channel/Channel.h"
#include "runtime/channel/SharedWorld.h"
#include "runtime/driver/RankWatch.h"
#include "runtime/driver/Report.h"

#include <functional>

namespace dsc::runtime {

struct LaunchOptions {
  uint32_t ranks;
  bool spins;     ///< Ranks have a core for each of their threads.
  double timeout; ///< Seconds that ranks may wait while none of them moves.
};

/// What a process does as one rank.
using RankBody = std::function<Status(Channel &, SharedWorld &)>;

/// Runs `body` in a process for each rank and waits for all of them. Only rank
/// 0's standard output is kept. When one is lost, fails, or hangs for the
/// timeout, the others are ended and one message says where. The ranks die with
/// this process, however it ends. An interrupt is noted in the shared memory; a
/// second one ends everything. Returns the exit code.
///
/// Called while the process has one thread, as a fork takes along no other.
int launchRanks(const LaunchOptions &options, const Log &log,
                const RankBody &body);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_LAUNCHER_H
