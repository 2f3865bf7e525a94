// Which exchanges travel together.

#ifndef DSC_PASSES_SCHEDULE_JOINCOLLECTIVES_H
#define DSC_PASSES_SCHEDULE_JOINCOLLECTIVES_H

#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Whether two starts can be messages of one exchange: of one kind and axis,
/// each of a group, and of one element type.
bool canJoin(mlir::Operation *first, mlir::Operation *second,
             const StateMap &states);

/// Most elements that travel in one message of several groups; 0: none joins.
struct MessageBounds {
  int64_t gatherElements, reduceElements;
};

/// Puts each start with `zero.join` directly behind the last start ahead of it
/// that it can join, by moving it up or the other down, so that lower makes one
/// exchange of both. Awaits of states move along. Where no move is legal, or
/// the message would get too long, the annotation goes away; a remark tells of
/// the former if asked to `explain`. Starts of one kind stay in order.
void joinCollectives(train::EntryOp entry, const StateMap &states,
                     MessageBounds bounds, bool explain = true);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_JOINCOLLECTIVES_H
