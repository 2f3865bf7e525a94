// Retyping of a region from whole tensors to this rank's parts of them.

#ifndef DSC_PASSES_PARTITION_PARTREGION_H
#define DSC_PASSES_PARTITION_PARTREGION_H

#include "dialects/nn/NnOps.h"

#include "mlir/IR/IRMapping.h"

namespace dsc {

/// The type of a part of a tensor with this element type: flat, `?` elements.
mlir::RankedTensorType getPartType(mlir::Type elementType);

/// Whether a value is a part.
bool isPart(mlir::Value value);

/// A region of `nothing but` a broadcast: `scalar` in every element of a part
/// with the extent of `like`.
mlir::Value createSplatPart(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value scalar, mlir::Value like);

/// Rebuilds a region whose operands became parts or scalars.
///
/// A body of `update` knows two sorts of values: parts, which differ from
/// element to element, and scalars, which were broadcast to the shape of a
/// parameter. On parts that shape is not known, so a scalar stays a scalar and
/// is broadcast only where it meets a part.
class PartRegion {
public:
  /// `inputs` stand for the operands of `old`.
  PartRegion(nn::FusionOp old, mlir::ValueRange inputs)
      : old(old), inputs(inputs) {}

  /// Builds the region and gives a value for each result of the old one: a
  /// part, a scalar, or one of `inputs` if the body only passed it on. A result
  /// that `mustBePart` names is a part if any input is; one of several that
  /// has no uses is left out and null. Reports an error where the body cannot
  /// work on parts.
  mlir::LogicalResult build(mlir::OpBuilder &builder,
                            llvm::function_ref<bool(mlir::Value)> mustBePart,
                            llvm::SmallVectorImpl<mlir::Value> &results);

private:
  mlir::LogicalResult rebuild(mlir::Operation &op);
  mlir::LogicalResult rebuildElementwise(mlir::Operation &op);
  mlir::LogicalResult rebuildConstant(nn::ConstantOp constant);
  mlir::LogicalResult rebuildBroadcast(mlir::Operation &op);
  mlir::LogicalResult rebuildSum(mlir::Operation &op);
  mlir::Value toPart(mlir::Value scalar);

  nn::FusionOp old;
  llvm::SmallVector<mlir::Value> inputs;
  mlir::OpBuilder *body = nullptr;
  mlir::IRMapping mapping;
  /// Scalars that were broadcast already.
  llvm::DenseMap<mlir::Value, mlir::Value> broadcasts;
};

} // namespace dsc

#endif // DSC_PASSES_PARTITION_PARTREGION_H
