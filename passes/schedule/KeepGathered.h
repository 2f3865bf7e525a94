// Gathered tensors that stay, rather than being gathered again.

#ifndef DSC_PASSES_SCHEDULE_KEEPGATHERED_H
#define DSC_PASSES_SCHEDULE_KEEPGATHERED_H

#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Unit attribute on a zero.gather_start: what the previous gather of the group
/// brought is used instead.
inline constexpr llvm::StringLiteral kReuseAttr = "zero.reuse";

/// Applies and removes the annotations of an entry in the async form. One on a
/// first gather of its group, or behind a write of one of its parameters, has
/// no effect.
void keepGathered(train::EntryOp entry, const StateMap &states);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_KEEPGATHERED_H
