// Brings the dialect, its enums and its operations.

#ifndef DSC_DIALECTS_NN_NNOPS_H
#define DSC_DIALECTS_NN_NNOPS_H

#include "dialects/interfaces/DifferentiableOpInterface.h"
#include "dialects/interfaces/FusionOpInterface.h"
#include "dialects/interfaces/LinalgLoweringOpInterface.h"
#include "dialects/interfaces/ShapeInferenceOpInterface.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/nn/NnEnums.h.inc"

namespace dsc::nn {

/// Whether inferred and actual result types agree: equal element types and
/// ranks, and sizes that are equal or `?` on one side.
bool areCompatible(mlir::TypeRange inferred, mlir::TypeRange actual);

/// What a slice takes along one dimension: `size` elements, `step` apart, the
/// first of which is `start`. A negative step walks backwards.
struct SliceRange {
  int64_t start;
  int64_t size;
  int64_t step;
};

/// Lowers an operation with ElementwiseOpInterface to one linalg.generic.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
lowerElementwise(mlir::Operation *op, mlir::OpBuilder &builder,
                 mlir::ValueRange operands);

/// A constant of `type` with `value` in every element, rounded to its element
/// type (integers truncate, i1 is `value != 0`).
mlir::Value createSplat(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type, double value);

} // namespace dsc::nn

#define GET_OP_CLASSES
#include "dialects/nn/NnOps.h.inc"

namespace dsc::nn {

/// Gives an operation the result types that its operands tell, with `?` for
/// what they do not. For operations that were created without.
llvm::LogicalResult inferResultTypes(mlir::Operation *op);

/// Creates an operation that infers its result types from operands that a user
/// may have got wrong. The builders of MLIR abort in that case; this reports
/// the error at `loc` and fails.
template <typename OpTy>
llvm::FailureOr<OpTy> tryCreate(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::ValueRange operands,
                                typename OpTy::Properties properties = {}) {
  llvm::SmallVector<mlir::Type> types;
  if (mlir::failed(OpTy::inferReturnTypes(
          builder.getContext(), loc, operands, builder.getDictionaryAttr({}),
          mlir::OpaqueProperties(&properties), /*regions=*/{}, types)))
    return mlir::failure();
  mlir::OperationState state(loc, OpTy::getOperationName(), operands, types);
  state.getOrAddProperties<typename OpTy::Properties>() = properties;
  return llvm::cast<OpTy>(builder.create(state));
}

} // namespace dsc::nn

#endif // DSC_DIALECTS_NN_NNOPS_H
