#include "dialects/nn/NnOps.h"
#include "passes/normalize/Patterns.h"

using namespace dsc;
using namespace mlir;

ArrayRef<int64_t> dsc::getBatchShape(Value matrix) {
  return cast<RankedTensorType>(matrix.getType()).getShape().drop_back(2);
}

namespace {

/// A matrix on the right is shared by the whole batch, whose rows then stack
/// to one tall matrix: a single large product instead of many small ones.
struct StackRows : OpRewritePattern<nn::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getTransposeA() || getBatchShape(op.getLhs()).empty() ||
        !getBatchShape(op.getRhs()).empty())
      return failure();
    ArrayRef<int64_t> shape = op.getLhs().getType().getShape();
    int64_t rows = llvm::product_of(shape.drop_back());
    ArrayRef<int64_t> result = op.getType().getShape();
    Value stacked =
        reshapeTo(rewriter, op.getLoc(), op.getLhs(), {rows, shape.back()});
    Value product = nn::MatmulOp::create(
        rewriter, op.getLoc(), op.getType().clone({rows, result.back()}),
        stacked, op.getRhs(), /*transpose_a=*/false, op.getTransposeB());
    rewriter.replaceOp(op, reshapeTo(rewriter, op.getLoc(), product, result));
    return success();
  }
};

struct BroadcastBatch : OpRewritePattern<nn::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (getBatchShape(op.getLhs()) == getBatchShape(op.getRhs()))
      return failure();
    ArrayRef<int64_t> batch = getBatchShape(op.getResult());
    auto withBatch = [&](Value matrix) {
      SmallVector<int64_t> shape(batch);
      llvm::append_range(
          shape,
          cast<RankedTensorType>(matrix.getType()).getShape().take_back(2));
      return broadcastTo(rewriter, op.getLoc(), matrix, shape);
    };
    Value lhs = withBatch(op.getLhs()), rhs = withBatch(op.getRhs());
    rewriter.modifyOpInPlace(op, [&] { op->setOperands({lhs, rhs}); });
    return success();
  }
};

} // namespace

void dsc::populateDecomposeMatmulPatterns(RewritePatternSet &patterns) {
  patterns.add<StackRows>(patterns.getContext(), /*benefit=*/2);
  patterns.add<BroadcastBatch>(patterns.getContext());
}
