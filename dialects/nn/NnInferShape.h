// Private to the dialect.

#ifndef DSC_DIALECTS_NN_NNINFERSHAPE_H
#define DSC_DIALECTS_NN_NNINFERSHAPE_H

#include "dialects/nn/NnOps.h"

namespace dsc::nn {

/// Checks that `dims` is strictly increasing, within [0, rank).
llvm::LogicalResult checkDims(std::optional<mlir::Location> loc,
                              llvm::ArrayRef<int64_t> dims, int64_t rank);

/// The common numpy shape of two shapes.
llvm::FailureOr<llvm::SmallVector<int64_t>>
broadcastShapes(std::optional<mlir::Location> loc, llvm::ArrayRef<int64_t> a,
                llvm::ArrayRef<int64_t> b);

/// The product of the sizes, or ShapedType::kDynamic if one is not known or no
/// int64_t holds it.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// Fills in the only `?` of `shape` if it has one and `elements` decides it.
void completeShape(llvm::SmallVectorImpl<int64_t> &shape, int64_t elements);

/// The result type of a reduction along `dims`.
llvm::LogicalResult inferReduction(std::optional<mlir::Location> loc,
                                   mlir::Value operand,
                                   llvm::ArrayRef<int64_t> dims, bool keepDims,
                                   llvm::SmallVectorImpl<mlir::Type> &types);

/// The elements of a constant of integers, or nothing for null and for what is
/// not constant.
std::optional<llvm::SmallVector<int64_t>> getConstantSizes(mlir::Value value);

/// What `op` takes along each dimension; a size is `?` while positions or the
/// operand's size are not known. Reports through `emitError` what its
/// constraints on values forbid.
llvm::FailureOr<llvm::SmallVector<SliceRange>>
getSliceRanges(DynamicSliceOp op,
               llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Whether element `position` of a constant is neither 0 nor false; NaN is not.
bool isNonZero(mlir::DenseElementsAttr elements, int64_t position);

/// Rows and columns of a matmul operand after its transpose flag.
inline std::pair<int64_t, int64_t> getMatrixSizes(llvm::ArrayRef<int64_t> shape,
                                                  bool transposed) {
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  return transposed ? std::pair(columns, rows) : std::pair(rows, columns);
}

} // namespace dsc::nn

#endif // DSC_DIALECTS_NN_NNINFERSHAPE_H
