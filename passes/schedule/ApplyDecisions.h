// What the annotations of an entry mean, all of them.

#ifndef DSC_PASSES_SCHEDULE_APPLYDECISIONS_H
#define DSC_PASSES_SCHEDULE_APPLYDECISIONS_H

#include "passes/schedule/JoinCollectives.h"

namespace dsc {

/// Applies and removes the annotations of one entry in the async form, by the
/// functions behind the passes, in their order. The entry may be a clone
/// outside of a module, of which `states` is the map. `overlaps`: whether
/// transfers of offloaded states run beside computation; `bounds`: how much
/// travels in one message; `explain`: whether
/// remarks tell what became of the annotations.
void applyDecisions(train::EntryOp entry, const StateMap &states, bool overlaps,
                    MessageBounds bounds, bool explain);

/// Whether an attribute of this name is such an annotation.
bool isDecision(llvm::StringRef attribute);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_APPLYDECISIONS_H
