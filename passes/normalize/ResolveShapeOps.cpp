#include "dialects/nn/NnOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "passes/normalize/IndexProgression.h"
#include "passes/normalize/InferShapes.h"
#include "passes/normalize/Passes.h"
#include "passes/normalize/Patterns.h"

#define DEBUG_TYPE "normalize-resolve-shape-ops"

namespace dsc {
#define GEN_PASS_DEF_RESOLVESHAPEOPSPASS
#include "passes/normalize/Passes.h.inc"
} // namespace dsc

using namespace dsc;
using namespace mlir;

Value dsc::broadcastTo(OpBuilder &builder, Location loc, Value value,
                       ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  int64_t added = int64_t(shape.size()) - type.getRank();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(added, shape.size()));
  return nn::BroadcastOp::create(builder, loc, type.clone(shape), value, dims);
}

Value dsc::reshapeTo(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return nn::ReshapeOp::create(builder, loc, type.clone(shape), value);
}

namespace {

struct ResolveBroadcastTogether : OpRewritePattern<nn::BroadcastTogetherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::BroadcastTogetherOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> values;
    for (auto [input, result] :
         llvm::zip_equal(op.getInputs(), op.getResults()))
      values.push_back(
          broadcastTo(rewriter, op.getLoc(), input,
                      cast<RankedTensorType>(result.getType()).getShape()));
    rewriter.replaceOp(op, values);
    return success();
  }
};

/// An operation whose first operand keeps its elements and their order.
template <typename OpTy> struct ResolveReshape : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, reshapeTo(rewriter, op.getLoc(), op->getOperand(0),
                                     op.getType().getShape()));
    return success();
  }
};

struct ResolveShapeOpsPass
    : dsc::impl::ResolveShapeOpsPassBase<ResolveShapeOpsPass> {
  using ResolveShapeOpsPassBase::ResolveShapeOpsPassBase;

  void runOnOperation() override {
    if (failed(checkGathers()))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<ResolveBroadcastTogether, ResolveReshape<nn::FlattenOp>,
                 ResolveReshape<nn::SqueezeOp>, ResolveReshape<nn::UnsqueezeOp>,
                 ResolveReshape<nn::ReshapeLikeOp>,
                 ResolveReshape<nn::DynamicReshapeOp>>(&getContext());
    populateResolveIndexOpsPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (failed(checkResolved()))
      signalPassFailure();
  }

  /// Positions that are counted, and so known, lie inside the table. Those that
  /// are constants have been checked with the shapes.
  LogicalResult checkGathers() {
    bool ok = true;
    getOperation().walk([&](nn::GatherOp op) {
      int64_t extent = op.getData().getType().getDimSize(op.getDim());
      std::optional<IndexProgression> indices =
          IndexProgression::match(op.getIndices(), extent);
      if (!indices || indices->isWithin(extent))
        return;
      ok = false;
      InFlightDiagnostic diagnostic = op.emitOpError("takes ")
                                      << indices->count << " entries from "
                                      << indices->first << " on of a table of "
                                      << extent;
      noteTable(*diagnostic.getUnderlyingDiagnostic(), op);
    });
    return success(ok);
  }

  /// What is left needs a value that only a running model has.
  LogicalResult checkResolved() {
    bool ok = true;
    getOperation().walk([&](Operation *op) {
      if (!isa<nn::DynamicSliceOp, nn::RangeOp, nn::TriluOp, nn::NonZeroOp>(op))
        return;
      ok = false;
      InFlightDiagnostic diagnostic =
          op->emitOpError("needs an operand that is known at compile time");
      // The first operand of some is data that may come from anywhere.
      bool hasData = isa<nn::DynamicSliceOp, nn::TriluOp>(op);
      for (OpOperand &operand : op->getOpOperands().drop_front(hasData))
        if (!matchPattern(operand.get(), m_Constant()))
          diagnostic.attachNote(operand.get().getLoc())
              << "operand " << operand.getOperandNumber()
              << " is computed from the model's inputs or parameters";
    });
    return success(ok);
  }
};

} // namespace
