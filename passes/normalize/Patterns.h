#ifndef DSC_PASSES_NORMALIZE_PATTERNS_H
#define DSC_PASSES_NORMALIZE_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace dsc {

/// `value` repeated to `shape`, aligned at the right as in numpy; `value`
/// itself if it has that shape.
mlir::Value broadcastTo(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// `value` in `shape`; `value` itself if it has that shape.
mlir::Value reshapeTo(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// `value` with its dimensions in the order `perm`.
mlir::Value transposeTo(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, llvm::ArrayRef<int64_t> perm);

/// The sizes in front of the two dimensions of a matrix.
llvm::ArrayRef<int64_t> getBatchShape(mlir::Value matrix);

/// Slices, splits, gathers, repetitions and ranges of import form.
void populateResolveIndexOpsPatterns(mlir::RewritePatternSet &patterns);

/// `nn.matmul` with batch dims that differ.
void populateDecomposeMatmulPatterns(mlir::RewritePatternSet &patterns);

/// `nn.softmax_cross_entropy_loss`.
void populateDecomposeLossPatterns(mlir::RewritePatternSet &patterns);

} // namespace dsc

#endif // DSC_PASSES_NORMALIZE_PATTERNS_H
