// Private to the dialect.

#ifndef DSC_DIALECTS_NN_NNFOLD_H
#define DSC_DIALECTS_NN_NNFOLD_H

#include "dialects/nn/NnOps.h"

namespace dsc::nn {

/// Larger constants are folded only if they are splats: folding must never make
/// a model's IR larger than the model. Integers are shape arithmetic, where one
/// constant left over may leave a shape unknown.
inline int64_t getFoldLimit(mlir::ShapedType type) {
  return mlir::isa<mlir::FloatType>(type.getElementType()) ? 1024 : 65536;
}

/// Whether a constant of `type` that is no splat may be made.
inline bool isFoldable(mlir::ShapedType type) {
  return type.hasStaticShape() && type.getNumElements() <= getFoldLimit(type);
}

/// The distance in row-major order between neighbours along each dimension.
llvm::SmallVector<int64_t> computeStrides(llvm::ArrayRef<int64_t> shape);

/// Calls `visit` with each index of `shape` in row-major order.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit);

/// Where an element of a result comes from: the linear position in one of the
/// operands, or kZero.
struct ElementPlace {
  static constexpr unsigned kZero = ~0u;
  unsigned operand;
  int64_t position;
};

/// The constant of `type` with the element of `values` that `find` names for
/// each index, in row-major order; null if it would be too large.
mlir::Attribute
collectElements(mlir::RankedTensorType type,
                llvm::ArrayRef<mlir::DenseElementsAttr> values,
                llvm::function_ref<ElementPlace(llvm::ArrayRef<int64_t>)> find);

/// The constant of integers of `type`, which must be foldable, with the element
/// that `compute` gives for each index.
mlir::Attribute
collectIntegers(mlir::RankedTensorType type,
                llvm::function_ref<int64_t(llvm::ArrayRef<int64_t>)> compute);

/// The reduction of a constant of integers along `dims` to `type`; null for any
/// other operand.
mlir::Attribute reduceIntegers(
    mlir::Attribute input, mlir::RankedTensorType type,
    llvm::ArrayRef<int64_t> dims, bool keepDims, const llvm::APInt &identity,
    llvm::APInt (*combine)(const llvm::APInt &, const llvm::APInt &));

/// `value` repeated to `type`: its dimension k is dimension `dims[k]` there.
mlir::Attribute broadcastElements(mlir::DenseElementsAttr value,
                                  mlir::RankedTensorType type,
                                  llvm::ArrayRef<int64_t> dims);

/// Constants of all operands, or nothing if one is none.
std::optional<llvm::SmallVector<mlir::DenseElementsAttr>>
getConstants(llvm::ArrayRef<mlir::Attribute> operands);

} // namespace dsc::nn

#endif // DSC_DIALECTS_NN_NNFOLD_H
