#include "dialects/nn/NnOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/normalize/Passes.h"
#include "passes/normalize/Patterns.h"

#define DEBUG_TYPE "normalize-decompose-ops"

namespace dsc {
#define GEN_PASS_DEF_DECOMPOSEOPSPASS
#include "passes/normalize/Passes.h.inc"
} // namespace dsc

using namespace dsc;
using namespace mlir;

Value dsc::transposeTo(OpBuilder &builder, Location loc, Value value,
                       ArrayRef<int64_t> perm) {
  if (llvm::equal(perm, llvm::seq<int64_t>(perm.size())))
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim : perm)
    shape.push_back(type.getDimSize(dim));
  return nn::TransposeOp::create(builder, loc, type.clone(shape), value, perm);
}

namespace {

struct DecomposeReduceMean : OpRewritePattern<nn::ReduceMeanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ReduceMeanOp op,
                                PatternRewriter &rewriter) const override {
    int64_t count = 1;
    for (int64_t dim : op.getDims())
      count *= op.getInput().getType().getDimSize(dim);
    Value sum =
        nn::ReduceSumOp::create(rewriter, op.getLoc(), op.getType(),
                                op.getInput(), op.getDims(), op.getKeepDims());
    Value divisor =
        nn::createSplat(rewriter, op.getLoc(), op.getType(), double(count));
    rewriter.replaceOpWithNewOp<nn::DivOp>(op, sum, divisor);
    return success();
  }
};

/// Exchanges the softmax dim with the last one, so that a row of the kernel is
/// a slice of memory.
template <typename OpTy> struct MoveSoftmaxLast : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    int64_t dim = op.getDim(), last = op.getType().getRank() - 1;
    if (dim == last)
      return failure();
    auto perm = llvm::to_vector(llvm::seq<int64_t>(last + 1));
    std::swap(perm[dim], perm[last]);
    Value moved = transposeTo(rewriter, op.getLoc(), op.getInput(), perm);
    Value result =
        OpTy::create(rewriter, op.getLoc(), moved.getType(), moved, last);
    rewriter.replaceOp(op, transposeTo(rewriter, op.getLoc(), result, perm));
    return success();
  }
};

struct DecomposeOpsPass : dsc::impl::DecomposeOpsPassBase<DecomposeOpsPass> {
  using DecomposeOpsPassBase::DecomposeOpsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeReduceMean, MoveSoftmaxLast<nn::SoftmaxOp>,
                 MoveSoftmaxLast<nn::LogSoftmaxOp>>(&getContext());
    populateDecomposeMatmulPatterns(patterns);
    populateDecomposeLossPatterns(patterns);
    if (failed(applyPatternsGreedily(
            getOperation(), std::move(patterns),
            GreedyRewriteConfig().setRegionSimplificationLevel(
                GreedySimplifyRegionLevel::Disabled))))
      signalPassFailure();
  }
};

} // namespace
