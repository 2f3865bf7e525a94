// Which exchanges travel together.

#ifndef DSC_PASSES_SCHEDULE_JOINCOLLECTIVES_H
#define DSC_PASSES_SCHEDULE_JOINCOLLECTIVES_H

#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Whether two starts can be messages of one exchange: of one kind and axis,
/// each of a group, and of one element type.
bool canJoin(mlir::Operation *first, mlir::Operation *second,
             const StateMap &states);

/// Puts each start with `zero.join` directly behind the start ahead of it, by
/// moving one of the two, so that lower makes one exchange of both. Where no
/// move is legal, or the two cannot be joined, the annotation goes away. The
/// order of the starts stays.
void joinCollectives(train::EntryOp entry, const StateMap &states);

/// Annotates starts that stand directly behind one another, as long as what is
/// joined has at most `gatherElements` or, of reductions, `reduceElements`.
void markBuckets(train::EntryOp entry, const StateMap &states,
                 int64_t gatherElements, int64_t reduceElements);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_JOINCOLLECTIVES_H
