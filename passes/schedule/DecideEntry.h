// The decisions of one entry.

#ifndef DSC_PASSES_SCHEDULE_DECIDEENTRY_H
#define DSC_PASSES_SCHEDULE_DECIDEENTRY_H

#include "passes/schedule/Trial.h"

namespace dsc {

/// What was chosen for an entry, and what it comes to.
struct EntryDecision {
  Decisions decisions;
  Trial trial;
  /// The least memory: nothing kept or ahead, all recomputed that may be.
  Trial least;
  /// Why the last change to an exchange or a candidate was not taken: what it
  /// would exceed, or empty if it would have saved nothing. By ordinal.
  llvm::SmallVector<llvm::StringRef> refusedExchanges, refusedCandidates;
};

/// Chooses, with at most `limit` bytes of arena if given.
///
/// It begins with the least memory. Then, in this order, groups that stay
/// gathered, exchanges that begin ahead of their use or end behind it, small
/// ones that travel together, and activations that are not recomputed buy time
/// for memory, the best gain per byte first, while the limit holds. At last,
/// groups that stay gathered are gathered again where that costs no time. Small
/// entries are then improved by single changes, until none helps.
///
/// `least.bytes` may be above the limit: then nothing fits, and the decisions
/// are those of the least memory. Nothing if the entry cannot be measured.
std::optional<EntryDecision> decideEntry(EntryTrials &trials,
                                         const ScheduleOptions &options,
                                         std::optional<int64_t> limit);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_DECIDEENTRY_H
