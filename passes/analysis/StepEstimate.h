/// What an entry in the async form takes: seconds by a cost model, and bytes of
/// the arena by the planner. Schedule tries its decisions against it.

#ifndef DSC_PASSES_ANALYSIS_STEPESTIMATE_H
#define DSC_PASSES_ANALYSIS_STEPESTIMATE_H

#include "passes/analysis/CostModel.h"
#include "passes/analysis/Placement.h"

namespace dsc {

/// On an entry: bytes of the arena that schedule counted on.
inline constexpr llvm::StringLiteral kPlannedArenaAttr = "zero.planned_arena";
/// On a module: bytes of the block that one rank allocates.
inline constexpr llvm::StringLiteral kPlannedBytesAttr = "zero.planned_bytes";

struct StepEstimate {
  struct Span {
    double begin, seconds;
  };

  double seconds = 0;         ///< From the first to the last operation.
  double computeSeconds = 0;  ///< Work on the compute stream.
  double exchangeSeconds = 0; ///< Work on the communication stream.
  double exposedSeconds = 0;  ///< In which the compute stream waits.
  /// Of the arena that lower will plan for the entry; `liveBytes` if the
  /// estimate is not exact.
  int64_t arenaBytes = 0;
  /// The planner's lower bound: no plan can do with less.
  int64_t liveBytes = 0;
  /// Of each operation that does work; of a collective from its first to its
  /// last call.
  llvm::DenseMap<mlir::Operation *, Span> spans;
};

/// Issues what lower will issue for `entry`, in the same order on the same
/// streams with the same events, and so finds the arena that it will plan, to
/// the byte. The planner is asked if `exact`. `entry` may stand outside of its
/// module, whose map is `states`. Fails, with an error, on what lower would
/// reject.
llvm::FailureOr<StepEstimate>
estimateStep(train::EntryOp entry, const StateMap &states,
             const CostModel &cost, const ArenaOptions &options, bool exact);

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_STEPESTIMATE_H
