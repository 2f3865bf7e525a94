#include "passes/normalize/InferShapes.h"
#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace dsc;
using namespace mlir;

/// Says what `op` was given. A shape that does not fit is rarely the fault of
/// the operation that stumbles over it.
static void noteOperands(Diagnostic &diagnostic, Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    diagnostic.attachNote(operand.get().getLoc())
        << "operand " << operand.getOperandNumber() << " is "
        << operand.get().getType();
}

void dsc::noteTable(Diagnostic &diagnostic, Operation *op) {
  auto gather = dyn_cast<nn::GatherOp>(op);
  if (!gather)
    return;
  auto read = gather.getData().getDefiningOp<train::ReadOp>();
  if (read)
    diagnostic.attachNote(read.getLoc())
        << "the table is parameter '" << read.getSymbol() << "' with "
        << gather.getData().getType().getDimSize(gather.getDim())
        << " entries; if these are positions, bind a sequence that is no "
           "longer (--bind)";
}

bool dsc::isTooLarge(RankedTensorType type) {
  // More bytes than any machine addresses, at 8 an element.
  constexpr int64_t largest = int64_t(1) << 48;
  int64_t bytes = 8;
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size))
      continue;
    std::optional<int64_t> product =
        llvm::checkedMul(bytes, std::max<int64_t>(size, 1));
    if (!product || *product > largest)
      return true;
    bytes = *product;
  }
  return false;
}

/// Infers the result types of `op`, sets them and checks the operation.
static LogicalResult reinfer(ShapeInferenceOpInterface op) {
  ScopedDiagnosticHandler handler(op.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      noteOperands(diagnostic, op);
      noteTable(diagnostic, op);
    }
    return failure(); // Not handled: others print it.
  });
  SmallVector<Type> types;
  if (failed(op.reinferResultTypes(types)))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  if (failed(verify(op)))
    return failure();
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    if (!type.hasStaticShape())
      return op->emitError("the shape of its result is not known at compile "
                           "time");
    if (isTooLarge(type))
      return op->emitError("its result is too large to address: ") << type;
  }
  return success();
}

/// Replaces an operation by its value if that is constant: such are the shapes
/// that later operations ask for. Some exporters compute shapes in floats, so
/// the type does not matter where all operands are constant.
static void foldShapeArithmetic(Operation *op) {
  auto isInteger = [](Type type) {
    return getElementTypeOrSelf(type).isInteger();
  };
  auto isConstant = [](Value value) {
    Operation *producer = value.getDefiningOp();
    return producer && producer->hasTrait<OpTrait::ConstantLike>();
  };
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      !(llvm::all_of(op->getResultTypes(), isInteger) ||
        llvm::all_of(op->getOperands(), isConstant)))
    return;
  OpBuilder builder(op);
  SmallVector<Value> values;
  if (failed(builder.tryFold(op, values)) || values.empty())
    return;
  op->replaceAllUsesWith(values);
  op->erase();
}

LogicalResult dsc::inferShapes(func::FuncOp forward) {
  Block &body = forward.getBody().front();
  // Results whose shape could not be inferred.
  llvm::DenseSet<Value> unknown;
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    auto interface = dyn_cast<ShapeInferenceOpInterface>(op);
    if (!interface)
      continue;
    if (llvm::any_of(op.getOperands(),
                     [&](Value v) { return unknown.contains(v); }) ||
        failed(reinfer(interface)))
      unknown.insert_range(op.getResults());
    else
      foldShapeArithmetic(&op);
  }
  if (!unknown.empty())
    return failure();
  forward.setFunctionType(
      FunctionType::get(forward.getContext(), forward.getArgumentTypes(),
                        body.getTerminator()->getOperandTypes()));
  return success();
}
