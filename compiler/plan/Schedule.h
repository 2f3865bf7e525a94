#ifndef DSC_COMPILER_PLAN_SCHEDULE_H
#define DSC_COMPILER_PLAN_SCHEDULE_H

#include "compiler/plan/ArenaUse.h"
#include "dialects/exec/ExecOps.h"
#include <optional>
#include <vector>

namespace dsc {

/// A collective among the operations that compute, in the order of issue.
struct ScheduledCollective {
  mlir::Operation *op;
  OpPlace place;
  /// The operation before which it starts, and that which first waits for it;
  /// none: the end of the entry point.
  std::optional<OpPlace> starts, awaited;
  /// Operations between the two, which compute while it runs.
  uint64_t overlapped = 0;
  uint64_t receivedBytes =
      0; ///< Left to whoever knows how many ranks there are.
};

/// When the collectives of a program run, in their order, which is the same on
/// every rank.
std::vector<ScheduledCollective> listSchedule(exec::ProgramOp program);

} // namespace dsc

#endif // DSC_COMPILER_PLAN_SCHEDULE_H
