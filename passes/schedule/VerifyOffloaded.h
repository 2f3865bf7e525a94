// What holds of offloaded states in the exit form of the schedule stage.

#ifndef DSC_PASSES_SCHEDULE_VERIFYOFFLOADED_H
#define DSC_PASSES_SCHEDULE_VERIFYOFFLOADED_H

#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Checks (S9): an offloaded state is loaded and stored alone, nothing else is,
/// and the states of a group, which share a buffer, are all offloaded or none
/// is. Reports every violation.
mlir::LogicalResult verifyOffloaded(mlir::ModuleOp module,
                                    const StateMap &states);

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_VERIFYOFFLOADED_H
