// Running regions of forward again in backward, so that their results need not
// be kept in between.

#ifndef DSC_PASSES_SCHEDULE_RECOMPUTE_H
#define DSC_PASSES_SCHEDULE_RECOMPUTE_H

#include "dialects/train/TrainOps.h"

namespace dsc {

/// Unit attribute on an nn.fusion of forward: it runs again in backward.
inline constexpr llvm::StringLiteral kRecomputeAttr = "zero.recompute";

/// Applies and removes the annotations of an entry. An annotated region gets a
/// copy right before the first use of its results in backward, and all uses in
/// backward take the copy's. An annotation elsewhere than in forward, or on a
/// region of which backward uses nothing, has no effect.
///
/// A copy reads the values that the region read, which thereby live as long;
/// those of annotated regions are taken from their copies, and gathered
/// parameters from a gather of backward. One is moved up, or its release down,
/// where the copy stands outside of its life; only if backward has none of the
/// group, it is gathered once more, which a remark tells if asked to `explain`.
void recomputeRegions(train::EntryOp entry, bool explain = true);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_RECOMPUTE_H
