#ifndef DSC_DIALECTS_INTERFACES_SHAPEINFERENCEOPINTERFACE_H
#define DSC_DIALECTS_INTERFACES_SHAPEINFERENCEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace dsc::detail {

/// Asks the operation's InferTypeOpInterface about its present operands.
llvm::LogicalResult
inferFromOperands(mlir::Operation *op,
                  llvm::SmallVectorImpl<mlir::Type> &resultTypes);

} // namespace dsc::detail

#include "dialects/interfaces/ShapeInferenceOpInterface.h.inc"

#endif // DSC_DIALECTS_INTERFACES_SHAPEINFERENCEOPINTERFACE_H
