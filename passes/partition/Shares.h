// Values of which a rank holds only its share until they are summed over ranks.

#ifndef DSC_PASSES_PARTITION_SHARES_H
#define DSC_PASSES_PARTITION_SHARES_H

#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Whether `value` is this rank's share of a number: in `update` and
/// `layer_norms` an accumulator read or a sum over a part, in `eval` anything,
/// since a rank evaluates its own samples.
bool isShare(mlir::Value value, const StateMap &states, train::EntryKind kind);

/// Whether `use` is right only if the value is summed over ranks first: in
/// these every use of a share but the sum itself, in `eval` accumulations.
bool needsWhole(mlir::OpOperand &use, const StateMap &states,
                train::EntryKind kind);

} // namespace dsc

#endif // DSC_PASSES_PARTITION_SHARES_H
