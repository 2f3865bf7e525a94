#include "dialects/nn/NnOps.h"
#include "passes/fusion/Passes.h"

#include "mlir/IR/Builders.h"

namespace dsc {
#define GEN_PASS_DEF_SPLITSUMSPASS
#include "passes/fusion/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

/// Elements from which on a sum of all of them is worth two kernels.
static constexpr int64_t kManyElements = 64 * 1024;
/// Rows that a sum of a vector is cut into.
static constexpr int64_t kRows = 64;

namespace {

Value sum(OpBuilder &builder, Location loc, Value input,
          ArrayRef<int64_t> dims) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dims, int64_t(dim)))
      shape.push_back(extent);
  return nn::ReduceSumOp::create(builder, loc, type.clone(shape), input,
                                 builder.getDenseI64ArrayAttr(dims),
                                 /*keep_dims=*/UnitAttr());
}

void split(nn::CrossEntropyOp op) {
  OpBuilder builder(op);
  auto rows = nn::CrossEntropyRowsOp::create(
      builder, op.getLoc(), op.getLogits(), op.getLabels(), op.getRowWeight(),
      op.getIgnoreIndex());
  for (auto [result, terms] : llvm::zip(op->getResults(), rows->getResults()))
    if (!result.use_empty())
      result.replaceAllUsesWith(sum(builder, op.getLoc(), terms, {0}));
  op.erase();
}

/// A sum of everything in rows: along all dimensions but the first, then along
/// that one.
void split(nn::ReduceSumOp op) {
  RankedTensorType type = op.getInput().getType();
  if (op.getType().getRank() != 0 || !type.hasStaticShape() ||
      type.getNumElements() < kManyElements)
    return;
  OpBuilder builder(op);
  Value rows = op.getInput();
  if (type.getRank() == 1 || type.getDimSize(0) < kRows) {
    if (type.getNumElements() % kRows != 0)
      return;
    rows = nn::ReshapeOp::create(
        builder, op.getLoc(),
        type.clone({kRows, type.getNumElements() / kRows}), rows);
  }
  int64_t rank = cast<RankedTensorType>(rows.getType()).getRank();
  Value sums = sum(builder, op.getLoc(), rows,
                   llvm::to_vector(llvm::seq<int64_t>(1, rank)));
  op.replaceAllUsesWith(sum(builder, op.getLoc(), sums, {0}));
  op.erase();
}

struct SplitSumsPass : dsc::impl::SplitSumsPassBase<SplitSumsPass> {
  void runOnOperation() override {
    getOperation().walk([](nn::ReduceSumOp op) { split(op); });
    getOperation().walk([](nn::CrossEntropyOp op) { split(op); });
  }
};

} // namespace
