// Where forward ends in a training step.

#ifndef DSC_PASSES_ANALYSIS_TRAININGSTEP_H
#define DSC_PASSES_ANALYSIS_TRAININGSTEP_H

#include "dialects/train/TrainOps.h"

namespace dsc {

/// The accumulator that takes a micro-batch's weight, as its loss is taken.
inline constexpr char kLossWeight[] = "dsc.loss_weight";

/// The operation that takes the loss: all of forward stands before it, all of
/// backward behind. Null in an entry that has no backward.
mlir::Operation *findForwardEnd(train::EntryOp entry);

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_TRAININGSTEP_H
