#ifndef DSC_RUNTIME_DRIVER_JOINEDRANK_H
#define DSC_RUNTIME_DRIVER_JOINEDRANK_H

#include "runtime/driver/HostMeeting.h"
#include "runtime/driver/Launcher.h"

namespace dsc::runtime {

/// Runs `body` in this process as one rank of a job that another program
/// started, and returns the exit code, which is the same for all ranks. A
/// thread of each rank watches the others: when one is lost, fails or hangs,
/// one of them says where, and all end. Only rank 0's standard output is kept.
///
/// The first SIGINT, SIGTERM or SIGHUP to any rank is noted in the shared
/// memory; a second one to the same rank ends it.
int runJoinedRank(const MeetingPlace &place, uint32_t rank,
                  const LaunchOptions &options, const Log &log,
                  const RankBody &body);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_JOINEDRANK_H
