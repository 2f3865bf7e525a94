// When exchanges begin and end.

#ifndef DSC_PASSES_SCHEDULE_MOVECOLLECTIVES_H
#define DSC_PASSES_SCHEDULE_MOVECOLLECTIVES_H

#include "passes/analysis/StateAccess.h"

namespace dsc {

/// i64 on a start whose await gives tensors: it stands ahead of this many
/// regions ahead of the await. 0, as without it: directly ahead of the await.
inline constexpr llvm::StringLiteral kAheadAttr = "zero.ahead";

/// i64 on a start that works on states: this many regions stand between it and
/// its await. 0, as without it: none.
inline constexpr llvm::StringLiteral kBehindAttr = "zero.behind";

/// Puts every start, await and release of an entry in the async form where its
/// annotation says, and removes it. Where that is not legal, it stands at the
/// nearest place that is. All else that can move stands where the least memory
/// is held: tensors are awaited right before their first use and released right
/// behind their last; what takes operands, or changes states, starts right
/// behind the last operation that it depends on.
///
/// Starts that get behind the same region get the order of their awaits: what
/// is awaited first begins first.
void moveCollectives(train::EntryOp entry, const StateMap &states);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_MOVECOLLECTIVES_H
