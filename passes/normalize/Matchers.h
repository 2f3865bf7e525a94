#ifndef DSC_PASSES_NORMALIZE_MATCHERS_H
#define DSC_PASSES_NORMALIZE_MATCHERS_H

#include "dialects/nn/NnOps.h"
#include "passes/normalize/KnownValues.h"

// What the passes that raise decomposed patterns ask of a value. All of it
// works on the form that `normalize-resolve-shape-ops` leaves: static shapes,
// elementwise operations on equal shapes, broadcasts spelled out.

namespace dsc {

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return typeOf(value).getShape();
}

/// The operation of kind OpTy that defines `value`; null if another one does.
template <typename OpTy> OpTy definedBy(mlir::Value value) {
  return value ? value.getDefiningOp<OpTy>() : OpTy();
}

/// `base * factor`.
struct Scaled {
  mlir::Value base;
  double factor = 1.0;
};
/// Takes products with numbers, quotients by numbers and signs off `value`.
Scaled stripScale(mlir::Value value, KnownValues &known);

/// Both orders of the operands of a binary operation.
std::array<std::pair<mlir::Value, mlir::Value>, 2>
bothOrders(mlir::Operation *op);

/// Sees through reshapes and broadcasts that only add or remove dimensions of
/// size 1.
mlir::Value skipUnitReshapes(mlir::Value value);

/// `value` before it was repeated along dimensions in front of its last two.
mlir::Value skipBatchBroadcast(mlir::Value value);

/// If all elements along the last dimension of `value` are equal by its
/// construction: the tensor of these elements, before they were repeated. Null
/// otherwise. Of a last dimension of size 1, `value` itself.
mlir::Value skipRowBroadcast(mlir::Value value);

/// The operand of OpTy, a reduction, along the last dimension alone, whose
/// result is `rows` but for dimensions of size 1. Null if `rows` is another.
template <typename OpTy> mlir::Value matchRowReduction(mlir::Value rows) {
  auto op = definedBy<OpTy>(skipUnitReshapes(rows));
  if (!op || op.getDims().size() != 1 ||
      op.getDims().front() != op.getInput().getType().getRank() - 1)
    return {};
  return op.getInput();
}

/// The operand whose mean along the last dimension alone `rows` is, as
/// `nn.reduce_mean` or as a sum divided by its number of terms.
mlir::Value matchRowMean(mlir::Value rows, KnownValues &known);

/// Whether `value` repeats one vector, or one number, along all dimensions but
/// the last.
bool isRowVector(mlir::Value value);
/// That vector, of the size of the last dimension, made with `builder` where
/// it has another shape.
mlir::Value getRowVector(mlir::OpBuilder &builder, mlir::Value value);

/// A tensor of the rank of `value`, with size 1 along dimensions where all
/// slices of `value` are equal by its construction. Made with `builder`.
mlir::Value removeBroadcast(mlir::OpBuilder &builder, mlir::Value value);

/// `value` with its last two dimensions exchanged. Where it already is such an
/// exchange, also one of merged batch dimensions between two reshapes, the
/// operand of that.
mlir::Value exchangeLastTwo(mlir::OpBuilder &builder, mlir::Value value);

/// Erases operations of `block` that have lost all their uses, last one first.
void eraseUnused(mlir::Block &block);

/// Remarks that `op` became `what`.
void remarkRaised(mlir::Operation *op, llvm::StringRef what);
/// Remarks that `op` looks like `what`, and why it is not raised to it.
void remarkNotRaised(mlir::Operation *op, llvm::StringRef what,
                     llvm::StringRef why);

} // namespace dsc

#endif // DSC_PASSES_NORMALIZE_MATCHERS_H
