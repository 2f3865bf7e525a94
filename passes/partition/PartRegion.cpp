#include "passes/partition/PartRegion.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace dsc;

RankedTensorType dsc::getPartType(Type elementType) {
  return RankedTensorType::get({ShapedType::kDynamic}, elementType);
}

bool dsc::isPart(Value value) {
  return !cast<ShapedType>(value.getType()).hasStaticShape();
}

static Value createBroadcast(OpBuilder &builder, Value scalar) {
  return nn::BroadcastOp::create(builder, scalar.getLoc(),
                                 getPartType(getElementTypeOrSelf(scalar)),
                                 scalar, builder.getDenseI64ArrayAttr({}));
}

Value dsc::createSplatPart(OpBuilder &builder, Location loc, Value scalar,
                           Value like) {
  Type type = getPartType(getElementTypeOrSelf(scalar));
  auto fusion = nn::FusionOp::create(builder, loc, type,
                                     ValueRange{like, scalar}, "elementwise");
  OpBuilder body = OpBuilder::atBlockEnd(fusion.getBody());
  nn::YieldOp::create(body, loc,
                      createBroadcast(body, fusion.getBodyArgument(1)));
  return fusion.getResult(0);
}

static RankedTensorType getScalarType(Value value) {
  return RankedTensorType::get({}, getElementTypeOrSelf(value));
}

Value PartRegion::toPart(Value scalar) {
  if (isPart(scalar))
    return scalar;
  Value &part = broadcasts[scalar];
  if (!part)
    part = createBroadcast(*body, scalar);
  return part;
}

//===----------------------------------------------------------------------===//
// Operations of the body
//===----------------------------------------------------------------------===//

LogicalResult PartRegion::rebuildElementwise(Operation &op) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op.getOperands(), [&](Value value) { return mapping.lookup(value); });
  bool onPart = llvm::any_of(operands, isPart);
  if (onPart)
    for (Value &operand : operands)
      operand = toPart(operand);
  Operation *copy = body->clone(op);
  copy->setOperands(operands);
  for (auto [result, oldResult] :
       llvm::zip(copy->getResults(), op.getResults())) {
    Type elementType = getElementTypeOrSelf(oldResult);
    result.setType(onPart ? getPartType(elementType)
                          : RankedTensorType::get({}, elementType));
    mapping.map(oldResult, result);
  }
  return success();
}

LogicalResult PartRegion::rebuildConstant(nn::ConstantOp constant) {
  auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!value || !value.isSplat())
    return constant.emitOpError(
        "differs from element to element; a part cannot tell which it has");
  auto scalar = value.resizeSplat(getScalarType(constant.getResult()));
  mapping.map(
      constant.getResult(),
      nn::ConstantOp::create(*body, constant.getLoc(), scalar).getResult());
  return success();
}

/// A scalar stays one; a part may only get another shape of its elements.
LogicalResult PartRegion::rebuildBroadcast(Operation &op) {
  Value input = mapping.lookup(op.getOperand(0));
  auto getElements = [](Value value) {
    return cast<ShapedType>(value.getType()).getNumElements();
  };
  if (isPart(input) &&
      getElements(op.getOperand(0)) != getElements(op.getResult(0)))
    return op.emitOpError("repeats elements of a tensor that ranks share");
  mapping.map(op.getResult(0), input);
  return success();
}

/// A sum over a part is this rank's share of the sum over the tensor, and a
/// summary tells of the part. Other reductions would need another way to join
/// shares.
LogicalResult PartRegion::rebuildSum(Operation &op) {
  if (!isa<nn::SumSquaresOp, nn::SummarizeOp>(op) ||
      !isPart(mapping.lookup(op.getOperand(0))))
    return op.emitOpError("cannot be computed on parts of a tensor");
  mapping.map(op.getResult(0), body->clone(op, mapping)->getResult(0));
  return success();
}

LogicalResult PartRegion::rebuild(Operation &op) {
  auto fusible = dyn_cast<FusionOpInterface>(op);
  if (!fusible)
    return op.emitOpError("cannot work on parts of a tensor");
  switch (fusible.getFusionKind()) {
  case FusionKind::Elementwise:
    return rebuildElementwise(op);
  case FusionKind::Constant:
    return rebuildConstant(cast<nn::ConstantOp>(op));
  case FusionKind::Broadcast:
    return rebuildBroadcast(op);
  case FusionKind::Reduction:
    return rebuildSum(op);
  default:
    return op.emitOpError("cannot work on parts of a tensor");
  }
}

//===----------------------------------------------------------------------===//
// The region
//===----------------------------------------------------------------------===//

LogicalResult PartRegion::build(OpBuilder &builder,
                                function_ref<bool(Value)> mustBePart,
                                SmallVectorImpl<Value> &results) {
  // The result types are known only once the body is built, so it is built in a
  // block of its own and moved.
  auto block = std::make_unique<Block>();
  for (auto [argument, input] :
       llvm::zip(old.getBody()->getArguments(), inputs))
    mapping.map(argument,
                block->addArgument(input.getType(), argument.getLoc()));
  OpBuilder inside(old.getContext());
  inside.setInsertionPointToEnd(block.get());
  body = &inside;
  for (Operation &op : old.getBody()->without_terminator())
    if (failed(rebuild(op)))
      return failure();

  bool onParts = llvm::any_of(inputs, isPart);
  auto isLeftOut = [&](Value result) {
    return result.use_empty() && !old->use_empty();
  };
  SmallVector<Value> yielded;
  for (auto [value, result] :
       llvm::zip(old.getYield().getValues(), old.getResults())) {
    if (isLeftOut(result))
      continue;
    Value inner = mapping.lookup(value);
    yielded.push_back(onParts && mustBePart(result) ? toPart(inner) : inner);
  }
  auto giveResults = [&](auto getValue) {
    unsigned number = 0;
    for (Value result : old.getResults())
      results.push_back(isLeftOut(result) ? Value() : getValue(number++));
  };
  if (block->empty()) { // Every broadcast vanished.
    giveResults([&](unsigned number) {
      return inputs[cast<BlockArgument>(yielded[number]).getArgNumber()];
    });
    return success();
  }
  nn::YieldOp::create(inside, old.getLoc(), yielded);

  StringRef kind = old.getKind().value_or("");
  if (kind == "elementwise" || kind == "scalar")
    kind = onParts ? "elementwise" : "scalar";
  auto fusion = nn::FusionOp::create(
      builder, old.getLoc(), TypeRange(ValueRange(yielded)), inputs, kind);
  Region &region = fusion.getRegion();
  region.getBlocks().clear();
  region.push_back(block.release());
  // What only a result that was left out needed.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*fusion.getBody())))
    if (isOpTriviallyDead(&op))
      op.erase();
  giveResults(
      [&](unsigned number) -> Value { return fusion.getResult(number); });
  return success();
}
