#include "codegen/kernel/Kernel.h"
#include "codegen/kernel/Passes.h"
#include "dialects/interfaces/LinalgLoweringOpInterface.h"
#include "dialects/nn/NnOps.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

namespace dsc {
#define GEN_PASS_DEF_CONVERTNNTOLINALGPASS
#include "codegen/kernel/Passes.h.inc"
} // namespace dsc

using namespace mlir;

namespace {

/// A broadcast to `?` cannot say its extent. In a kernel it can: all `?` of
/// rank-1 tensors are the extent of this rank's part.
FailureOr<Value> broadcastToPart(OpBuilder &builder,
                                 dsc::nn::BroadcastOp broadcast) {
  RankedTensorType type = broadcast.getResult().getType();
  auto function = broadcast->getParentOfType<func::FuncOp>();
  for (BlockArgument argument : function.getArguments()) {
    auto like = cast<RankedTensorType>(argument.getType());
    if (like.getShape() != type.getShape())
      continue;
    Location loc = broadcast.getLoc();
    Value destination = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, argument),
        type.getElementType());
    return linalg::BroadcastOp::create(builder, loc, broadcast.getInput(),
                                       destination, ArrayRef<int64_t>{0})
        ->getResult(0);
  }
  return broadcast.emitOpError("has an extent that no argument of the kernel "
                               "gives");
}

/// Replaces each operation that knows its linalg form.
LogicalResult lowerOps(func::FuncOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.front())) {
    auto lowering = dyn_cast<dsc::LinalgLoweringOpInterface>(op);
    if (!lowering)
      continue;
    OpBuilder builder(&op);
    auto broadcast = dyn_cast<dsc::nn::BroadcastOp>(op);
    if (broadcast && broadcast.getInput().getType().getRank() == 0 &&
        broadcast.getResult().getType().getRank() == 1 &&
        broadcast.getResult().getType().isDynamicDim(0)) {
      FailureOr<Value> result = broadcastToPart(builder, broadcast);
      if (failed(result))
        return failure();
      op.getResult(0).replaceAllUsesWith(*result);
      op.erase();
      continue;
    }
    FailureOr<SmallVector<Value>> results =
        lowering.lowerToLinalg(builder, op.getOperands());
    if (failed(results))
      return failure();
    op.replaceAllUsesWith(*results);
    op.erase();
  }
  return success();
}

/// Later passes see one kind of loop nest, and fills as their start.
LogicalResult generalizeOps(func::FuncOp function) {
  IRRewriter rewriter(function.getContext());
  for (Operation &op : llvm::make_early_inc_range(function.front())) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || isa<linalg::GenericOp, linalg::FillOp>(op))
      continue;
    rewriter.setInsertionPoint(&op);
    if (failed(linalg::generalizeNamedOp(rewriter, linalgOp)))
      return op.emitOpError("has no form as a loop nest");
  }
  return success();
}

LogicalResult checkOps(func::FuncOp function) {
  for (Operation &op : function.front()) {
    if (isa<linalg::GenericOp, linalg::FillOp, func::ReturnOp,
            memref::GetGlobalOp, bufferization::ToTensorOp>(op) ||
        isa<arith::ArithDialect, math::MathDialect, tensor::TensorDialect>(
            op.getDialect()))
      continue;
    return op.emitOpError("cannot be part of a kernel: it has no lowering to "
                          "linalg");
  }
  return success();
}

/// What a linalg operation writes as `value`, seen through reshapes, or null.
Value getWritten(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      return isa<linalg::LinalgOp>(op) ? value : Value();
    value = op->getOperand(0);
  }
  return {};
}

/// An operation that writes `value` once more.
Value copyOf(OpBuilder &builder, Value value) {
  Location loc = value.getLoc();
  auto type = cast<RankedTensorType>(value.getType());
  Value destination = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, value),
      type.getElementType());
  AffineMap identity = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> parallel(type.getRank(),
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, TypeRange{type}, ValueRange{value},
             ValueRange{destination}, {identity, identity}, parallel,
             [](OpBuilder &b, Location l, ValueRange arguments) {
               linalg::YieldOp::create(b, l, arguments.front());
             })
      .getResult(0);
}

/// Results that are arguments, constants or other results get an operation that
/// can write them where they belong.
void giveResultsTheirOwnOps(func::FuncOp function) {
  Operation *terminator = function.front().getTerminator();
  OpBuilder builder(terminator);
  llvm::DenseSet<Value> seen;
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value written = getWritten(operand.get());
    if (!written || !seen.insert(written).second)
      operand.set(copyOf(builder, operand.get()));
  }
}

/// What an operation goes on with in place must be there for it alone.
void giveStartsTheirOwnOps(func::FuncOp function) {
  for (auto op : function.front().getOps<linalg::GenericOp>()) {
    OpBuilder builder(op);
    for (OpOperand &start : op.getDpsInitsMutable())
      if (op.payloadUsesValueFromOperand(&start) &&
          (!start.get().hasOneUse() || !getWritten(start.get())))
        start.set(copyOf(builder, start.get()));
  }
}

void dropReassociation(func::FuncOp function) {
  function.walk([](arith::ArithFastMathInterface op) {
    auto flags = op.getFastMathFlagsAttr();
    if (!flags)
      return;
    arith::FastMathFlags kept =
        flags.getValue() & ~arith::FastMathFlags::reassoc;
    op->setAttr(op.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op.getContext(), kept));
  });
}

struct ConvertNnToLinalg
    : public dsc::impl::ConvertNnToLinalgPassBase<ConvertNnToLinalg> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!dsc::kernel::isOnTensors(function))
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError("a kernel must have one block");
      return signalPassFailure();
    }
    if (failed(lowerOps(function)) || failed(generalizeOps(function)) ||
        failed(checkOps(function)))
      return signalPassFailure();
    giveResultsTheirOwnOps(function);
    giveStartsTheirOwnOps(function);
    auto kind = function->getAttrOfType<StringAttr>(dsc::kernel::kKind);
    if (kind && kind.getValue() == "rank_sum")
      dropReassociation(function);
  }
};

} // namespace
