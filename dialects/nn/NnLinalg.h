// Private to the dialect: linalg operations with less writing.

#ifndef DSC_DIALECTS_NN_NNLINALG_H
#define DSC_DIALECTS_NN_NNLINALG_H

#include "dialects/nn/NnOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

namespace dsc::nn {

/// For all but additive reductions along the innermost dimension.
inline constexpr auto kContract = mlir::arith::FastMathFlags::contract;
/// For those: the compiled code fixes the order, and it needs to vectorise.
inline constexpr auto kReassociate =
    mlir::arith::FastMathFlags::contract | mlir::arith::FastMathFlags::reassoc;

/// Emits linalg operations on tensors at one location.
class LinalgBuilder {
public:
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

  LinalgBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// Static sizes as attributes, others as tensor.dim.
  llvm::SmallVector<mlir::OpFoldResult> getSizes(mlir::Value tensor);

  mlir::Value createEmpty(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                          mlir::Type elementType);
  mlir::Value createFilled(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                           mlir::TypedAttr value);
  /// A float of `type`.
  mlir::TypedAttr getFloat(mlir::Type type, double value);

  /// linalg.generic with one map an input, then one an init. The body gets
  /// the elements of inputs and inits and returns those to store.
  llvm::SmallVector<mlir::Value>
  createGeneric(mlir::ValueRange inputs, mlir::ValueRange inits,
                llvm::ArrayRef<mlir::AffineMap> maps,
                llvm::ArrayRef<mlir::utils::IteratorType> iterators, Body body);

  mlir::AffineMap getIdentityMap(unsigned rank);
  /// (d0, ..., d[rank-1]) -> the loops listed.
  mlir::AffineMap getProjection(unsigned rank, llvm::ArrayRef<int64_t> loops);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace dsc::nn

#endif // DSC_DIALECTS_NN_NNLINALG_H
