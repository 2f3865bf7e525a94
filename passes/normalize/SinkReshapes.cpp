#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/normalize/Matchers.h"
#include "passes/normalize/Passes.h"
#include "passes/normalize/Patterns.h"

#define DEBUG_TYPE "normalize-sink-reshapes"

namespace dsc {
#define GEN_PASS_DEF_SINKRESHAPESPASS
#include "passes/normalize/Passes.h.inc"
} // namespace dsc

using namespace dsc;
using namespace mlir;

namespace {

/// Dimensions [oldBegin, oldEnd) of one shape are [newBegin, newEnd) of
/// another.
struct DimGroup {
  int64_t oldBegin, oldEnd, newBegin, newEnd;
};

} // namespace

/// Cuts two shapes with equally many elements into the smallest groups with
/// equally many elements each. Empty if a size is 0.
static SmallVector<DimGroup> groupDims(ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> to) {
  SmallVector<DimGroup> groups;
  if (llvm::is_contained(from, 0))
    return groups;
  int64_t i = 0, j = 0, fromRank = from.size(), toRank = to.size();
  while (i < fromRank || j < toRank) {
    DimGroup group{i, i, j, j};
    int64_t oldSize = 1, newSize = 1;
    // At least one dimension, then whichever side has fewer elements; what is
    // left at the end has size 1.
    do {
      if (i < fromRank && (oldSize <= newSize || j == toRank))
        oldSize *= from[i++];
      else
        newSize *= to[j++];
    } while (oldSize != newSize);
    group.oldEnd = i;
    group.newEnd = j;
    groups.push_back(group);
  }
  return groups;
}

/// A broadcast to `shape` in place of `op`, whose result has as many elements.
/// Null if no broadcast repeats the same elements.
static Value regroupBroadcast(nn::BroadcastOp op, ArrayRef<int64_t> shape,
                              OpBuilder &builder) {
  ArrayRef<int64_t> result = op.getType().getShape();
  // Of each dimension of the result, the operand's size, 1 if it has none.
  SmallVector<int64_t> present(result.size(), 1);
  for (auto [dim, size] :
       llvm::zip_equal(op.getDims(), op.getInput().getType().getShape()))
    present[dim] = size;
  SmallVector<int64_t> inputShape, dims;
  for (const DimGroup &group : groupDims(result, shape)) {
    auto range = [&](ArrayRef<int64_t> sizes) {
      return sizes.slice(group.oldBegin, group.oldEnd - group.oldBegin);
    };
    if (llvm::product_of(range(present)) == 1)
      continue;
    if (range(present) != range(result))
      return {};
    for (int64_t dim = group.newBegin; dim != group.newEnd; ++dim) {
      dims.push_back(dim);
      inputShape.push_back(shape[dim]);
    }
  }
  Value input = reshapeTo(builder, op.getLoc(), op.getInput(), inputShape);
  return nn::BroadcastOp::create(builder, op.getLoc(),
                                 op.getType().clone(shape), input, dims);
}

/// `value` in `shape`, if that costs nothing: as a view of a tensor that is in
/// memory anyway, or as another broadcast or constant. Null otherwise.
static Value viewAs(Value value, ArrayRef<int64_t> shape, OpBuilder &builder) {
  RankedTensorType type = typeOf(value);
  if (auto broadcast = definedBy<nn::BroadcastOp>(value))
    return regroupBroadcast(broadcast, shape, builder);
  if (auto constant = definedBy<nn::ConstantOp>(value)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      return {};
    return nn::ConstantOp::create(builder, value.getLoc(),
                                  elements.resizeSplat(type.clone(shape)));
  }
  if (auto reshape = definedBy<nn::ReshapeOp>(value))
    return reshapeTo(builder, value.getLoc(), reshape.getInput(), shape);
  auto fusion = dyn_cast_if_present<FusionOpInterface>(value.getDefiningOp());
  // What is read where it is used has no memory that could be viewed.
  if (fusion && (fusion.getFusionKind() == FusionKind::Broadcast ||
                 fusion.getFusionKind() == FusionKind::Constant))
    return {};
  return reshapeTo(builder, value.getLoc(), value, shape);
}

namespace {

class ReshapeSinker {
public:
  explicit ReshapeSinker(OpBuilder &builder) : builder(builder) {}

  void visit(Operation *op) {
    auto fusion = dyn_cast<FusionOpInterface>(op);
    if (!fusion || op->use_empty())
      return;
    if (auto reshape = dyn_cast<nn::ReshapeOp>(op))
      mergeReshapes(reshape);
    else if (fusion.getFusionKind() == FusionKind::Elementwise)
      sinkBehindElementwise(op);
    else if (isa<nn::SoftmaxOp, nn::LogSoftmaxOp, nn::LayerNormOp>(op))
      sinkBehindRows(op);
  }

private:
  /// Of two reshapes in a row only the last one counts.
  void mergeReshapes(nn::ReshapeOp op) {
    auto inner = definedBy<nn::ReshapeOp>(op.getInput());
    if (!inner)
      return;
    builder.setInsertionPoint(op);
    op.getResult().replaceAllUsesWith(reshapeTo(
        builder, op.getLoc(), inner.getInput(), op.getType().getShape()));
  }
  void sinkBehindElementwise(Operation *op);
  void sinkBehindRows(Operation *op);

  OpBuilder &builder;
};

} // namespace

/// Computes `op` in the shape that one of its operands has before a reshape.
void ReshapeSinker::sinkBehindElementwise(Operation *op) {
  RankedTensorType type = typeOf(op->getResult(0));
  auto isLong = [&](Value value) { return shapeOf(value) == type.getShape(); };
  nn::ReshapeOp reshape;
  for (Value operand : op->getOperands())
    if (isLong(operand) && (reshape = definedBy<nn::ReshapeOp>(operand)))
      break;
  if (!reshape)
    return;
  ArrayRef<int64_t> shape = shapeOf(reshape.getInput());
  builder.setInsertionPoint(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(isLong(operand) ? viewAs(operand, shape, builder)
                                       : operand);
    if (!operands.back())
      return;
  }
  Operation *moved = builder.clone(*op);
  moved->setOperands(operands);
  moved->getResult(0).setType(type.clone(shape));
  op->getResult(0).replaceAllUsesWith(
      reshapeTo(builder, op->getLoc(), moved->getResult(0), type.getShape()));
}

/// A reshape that keeps rows changes nothing about what is computed of them.
void ReshapeSinker::sinkBehindRows(Operation *op) {
  auto reshape = definedBy<nn::ReshapeOp>(op->getOperand(0));
  if (!reshape)
    return;
  ArrayRef<int64_t> shape = shapeOf(reshape.getInput());
  if (shape.empty() || shape.back() != shapeOf(op->getOperand(0)).back())
    return;
  builder.setInsertionPoint(op);
  Operation *moved = builder.clone(*op);
  moved->setOperand(0, reshape.getInput());
  uint64_t last = shape.size() - 1;
  if (auto softmax = dyn_cast<nn::SoftmaxOp>(moved))
    softmax.setDim(last);
  else if (auto softmax = dyn_cast<nn::LogSoftmaxOp>(moved))
    softmax.setDim(last);
  for (auto [result, old] :
       llvm::zip_equal(moved->getResults(), op->getResults())) {
    bool hasColumns = shapeOf(old).size() == shapeOf(op->getOperand(0)).size();
    RankedTensorType type = typeOf(old);
    result.setType(type.clone(hasColumns ? shape : shape.drop_back()));
    old.replaceAllUsesWith(
        reshapeTo(builder, op->getLoc(), result, type.getShape()));
  }
}

namespace {
struct SinkReshapesPass : dsc::impl::SinkReshapesPassBase<SinkReshapesPass> {
  using SinkReshapesPassBase::SinkReshapesPassBase;

  void runOnOperation() override {
    OpBuilder builder(&getContext());
    ReshapeSinker sinker(builder);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (Block &block : function.getBody()) {
        // In order, so that a reshape sinks as far as it goes in one walk.
        for (Operation &op : llvm::make_early_inc_range(block))
          sinker.visit(&op);
        eraseUnused(block);
      }
    }
  }
};
} // namespace
