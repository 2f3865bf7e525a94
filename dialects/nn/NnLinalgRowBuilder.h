// Private to the dialect: linalg operations along the rows of a tensor.

#ifndef DSC_DIALECTS_NN_NNLINALGROWBUILDER_H
#define DSC_DIALECTS_NN_NNLINALGROWBUILDER_H

#include "dialects/nn/NnLinalg.h"

namespace dsc::nn {

/// Emits operations along one dimension of a tensor, the "row".
class RowBuilder : public LinalgBuilder {
public:
  RowBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value input,
             int64_t dim);

  mlir::Type getElementType() { return type; }
  mlir::TypedAttr getFloat(double value);

  /// Reduces each row of the operand. `rows` have one element a row, `elements`
  /// the operand's shape, `columns` one element a place in a row. The body gets
  /// the operand's element, then theirs in this order, then the accumulators.
  llvm::SmallVector<mlir::Value>
  reduceRows(mlir::ValueRange rows, llvm::ArrayRef<mlir::TypedAttr> identities,
             Body body, mlir::ValueRange elements = {},
             mlir::ValueRange columns = {});
  /// Maps each element of the operand, with the same operands of the body.
  llvm::SmallVector<mlir::Value> mapElements(mlir::ValueRange rows, Body body,
                                             mlir::ValueRange elements = {},
                                             mlir::ValueRange columns = {});
  /// Maps tensors of one element a row, or none (`scalars`, first), to others.
  llvm::SmallVector<mlir::Value> mapRows(mlir::ValueRange scalars,
                                         mlir::ValueRange inputs,
                                         llvm::ArrayRef<mlir::Type> types,
                                         Body body);
  /// Adds up all rows of tensors with one element a row.
  llvm::SmallVector<mlir::Value> sumRows(mlir::ValueRange inputs);

  /// The largest element of each row.
  mlir::Value reduceMax();
  /// exp(x - max) of each element.
  mlir::Value mapExponentials(mlir::Value max);
  /// The sum of each row.
  mlir::Value reduceSum();
  /// The sum of exp(x - max) of each row.
  mlir::Value reduceExponentials(mlir::Value max);

private:
  llvm::SmallVector<mlir::Value> getOperands(mlir::ValueRange rows,
                                             mlir::ValueRange elements,
                                             mlir::ValueRange columns);
  llvm::SmallVector<mlir::AffineMap> getMaps(size_t rows, size_t elements,
                                             size_t columns);

  mlir::OpBuilder &builder;
  mlir::Value input;
  mlir::Type type;
  int64_t dim;
  llvm::SmallVector<mlir::OpFoldResult> sizes, rowSizes;
  llvm::SmallVector<int64_t> rowLoops;
  llvm::SmallVector<mlir::utils::IteratorType> loops;
};

} // namespace dsc::nn

#endif // DSC_DIALECTS_NN_NNLINALGROWBUILDER_H
