#ifndef DSC_PASSES_NORMALIZE_INFERSHAPES_H
#define DSC_PASSES_NORMALIZE_INFERSHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dsc {

/// Whether the known dims of a tensor make it larger than any machine
/// addresses.
bool isTooLarge(mlir::RankedTensorType type);

/// If `op` gathers from a parameter, names it. Where its rows are positions,
/// their number bounds the length of a sequence.
void noteTable(mlir::Diagnostic &diagnostic, mlir::Operation *op);

/// Infers the result types of the operations of `forward` from its argument
/// types, in order, and sets the function's result types. Fails after a located
/// error for each operation whose operands do not fit, or whose result has a
/// size that is not known or too large; the types are then part old, part new.
llvm::LogicalResult inferShapes(mlir::func::FuncOp forward);

} // namespace dsc

#endif // DSC_PASSES_NORMALIZE_INFERSHAPES_H
