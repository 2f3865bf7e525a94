// Loading offloaded states before they are used, and storing them behind.

#ifndef DSC_PASSES_SCHEDULE_OFFLOADSTATES_H
#define DSC_PASSES_SCHEDULE_OFFLOADSTATES_H

#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Replaces each read of a state that is `offloaded` by a load right before the
/// first use of its value, and each write by a store, both awaited at once.
/// Ends where it began if it is applied twice.
///
/// With `overlaps`, the starts are annotated for moveCollectives: the loads of
/// one group begin ahead of the regions of the group before it, which gives
/// double buffering, and stores are awaited at the end of the entry. A transfer
/// stream runs in order, so that what is stored leaves its memory to what is
/// loaded behind it without an await.
void offloadStates(train::EntryOp entry, const StateMap &states, bool overlaps);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_OFFLOADSTATES_H
