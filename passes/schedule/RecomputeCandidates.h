// Which regions of forward are worth running again in backward.

#ifndef DSC_PASSES_SCHEDULE_RECOMPUTECANDIDATES_H
#define DSC_PASSES_SCHEDULE_RECOMPUTECANDIDATES_H

#include "dialects/nn/NnOps.h"
#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Regions that are recomputed together.
struct RecomputeCandidate {
  /// In program order.
  llvm::SmallVector<nn::FusionOp> regions;
  /// Bytes that need not live from forward to backward.
  int64_t bytes = 0;
  /// Number of the run of a layer that the regions stand in.
  unsigned run = 0;
};

/// The candidates of a step, in program order; none in other entries.
///
/// Forward is cut into runs: a run ends where the parameters of another layer
/// are used first. What one run leaves to another is kept, so that backward
/// needs the regions of one run at a time; the last run is not recomputed,
/// since its backward follows at once. Within a run, a candidate consists of
/// the regions that make one or more values for backward out of values that are
/// there. Candidates share no region, and any set of them may be chosen.
///
/// Where it saves something to keep the results of contractions and to
/// recompute only what is made of them, that is a candidate, and the
/// contractions are the next one, which saves its bytes if the former is chosen
/// too.
///
/// `entry` stands in a module, of which `states` is the map.
std::vector<RecomputeCandidate> collectRecomputable(train::EntryOp entry,
                                                    const StateMap &states);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_RECOMPUTECANDIDATES_H
