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

/// Multiplies one half of the elements by the other until one is left. The
/// gradient is that of the products, and so right where elements are 0.
struct DecomposeReduceProd : OpRewritePattern<nn::ReduceProdOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ReduceProdOp op,
                                PatternRewriter &rewriter) const override {
    Value product = op.getInput();
    for (int64_t dim : op.getDims())
      product = multiplyAlong(rewriter, op.getLoc(), product, dim);
    rewriter.replaceOp(
        op, reshapeTo(rewriter, op.getLoc(), product, op.getType().getShape()));
    return success();
  }

private:
  /// The product along `dim`, which keeps size 1.
  static Value multiplyAlong(OpBuilder &builder, Location loc, Value value,
                             int64_t dim) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
    SmallVector<int64_t> sizes(type.getShape());
    auto take = [&](int64_t offset, int64_t size) -> Value {
      offsets[dim] = offset;
      sizes[dim] = size;
      return nn::SliceOp::create(builder, loc, value, offsets, sizes, strides);
    };
    int64_t count = sizes[dim];
    sizes[dim] = 1;
    if (count == 0)
      return nn::createSplat(builder, loc, type.clone(sizes), 1);
    Value odd;
    for (; count > 1; count /= 2) {
      if (count % 2) {
        Value last = take(count - 1, 1);
        odd = odd ? nn::MulOp::create(builder, loc, odd, last) : last;
      }
      Value first = take(0, count / 2), second = take(count / 2, count / 2);
      value = nn::MulOp::create(builder, loc, first, second);
    }
    return odd ? nn::MulOp::create(builder, loc, value, odd) : value;
  }
};

/// A running sum is a sum over what a comparison of places lets through. It is
/// quadratic, and meant for the short rows of numbers that shapes are made of.
struct DecomposeCumSum : OpRewritePattern<nn::CumSumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::CumSumOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    // Dimension dim counts results, the one behind it what they add.
    int64_t dim = op.getDim();
    SmallVector<int64_t> shape(type.getShape()), dims;
    shape.insert(shape.begin() + dim, type.getDimSize(dim));
    for (int64_t i = 0; i != type.getRank(); ++i)
      dims.push_back(i < dim ? i : i + 1);
    RankedTensorType pairs = type.clone(shape);
    RankedTensorType places = pairs.clone(rewriter.getI64Type());
    Value result = nn::IotaOp::create(rewriter, loc, places, dim);
    Value term = nn::IotaOp::create(rewriter, loc, places, dim + 1);
    if (op.getReverse())
      std::swap(result, term);
    Value counts = nn::CompareOp::create(
        rewriter, loc, pairs.clone(rewriter.getI1Type()),
        op.getExclusive() ? nn::ComparePredicate::lt : nn::ComparePredicate::le,
        term, result);
    Value terms = nn::SelectOp::create(
        rewriter, loc, counts,
        nn::BroadcastOp::create(rewriter, loc, pairs, op.getInput(), dims),
        nn::createSplat(rewriter, loc, pairs, 0));
    rewriter.replaceOpWithNewOp<nn::ReduceSumOp>(
        op, type, terms, ArrayRef<int64_t>{dim + 1}, /*keep_dims=*/false);
    return success();
  }
};

/// Merges the dimensions of a row into one.
struct MergeLayerNormDims : OpRewritePattern<nn::LayerNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::LayerNormOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = op.getInput().getType();
    int64_t rowRank = op.getScale().getType().getRank();
    if (rowRank == 1)
      return failure();
    int64_t columns = op.getScale().getType().getNumElements();
    SmallVector<int64_t> shape(type.getShape().drop_back(rowRank));
    shape.push_back(columns);
    Location loc = op.getLoc();
    Value bias = op.getBias();
    auto merged = nn::LayerNormOp::create(
        rewriter, loc, reshapeTo(rewriter, loc, op.getInput(), shape),
        reshapeTo(rewriter, loc, op.getScale(), {columns}),
        bias ? reshapeTo(rewriter, loc, bias, {columns}) : Value(),
        op.getEpsilonAttr());
    rewriter.replaceOp(
        op, {reshapeTo(rewriter, loc, merged.getResult(), type.getShape()),
             merged.getMean(), merged.getRstd()});
    return success();
  }
};

struct DecomposeOpsPass : dsc::impl::DecomposeOpsPassBase<DecomposeOpsPass> {
  using DecomposeOpsPassBase::DecomposeOpsPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeReduceMean, DecomposeReduceProd, DecomposeCumSum,
                 MergeLayerNormDims, MoveSoftmaxLast<nn::SoftmaxOp>,
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
