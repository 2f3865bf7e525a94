// Import form. The numbers are those of the constraints in the operation's
// description. What an operation's type inference checks stands in
// NnInferShape*.cpp.

#include "dialects/nn/NnInferShape.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dsc::nn;

static LogicalResult verifyElementType(Operation *op, Value input,
                                       Value result) {
  Type from = getElementTypeOrSelf(input), to = getElementTypeOrSelf(result);
  if (from != to)
    return op->emitOpError("changes the element type from ")
           << from << " to " << to;
  return success();
}

/// Element type and rank of `result` are those of `input`.
static LogicalResult verifySameRank(Operation *op, Value input, Value result) {
  int64_t from = cast<RankedTensorType>(input.getType()).getRank();
  int64_t to = cast<RankedTensorType>(result.getType()).getRank();
  if (from != to)
    return op->emitOpError("changes the rank from ") << from << " to " << to;
  return verifyElementType(op, input, result);
}

/// A vector with one element for each of `count` things.
static LogicalResult verifyCount(Operation *op, StringRef name, Value vector,
                                 int64_t count, StringRef things) {
  auto type = cast<RankedTensorType>(vector.getType());
  if (failed(verifyCompatibleShape(type.getShape(), {count})))
    return op->emitOpError() << name << " has " << type.getDimSize(0)
                             << " elements for " << count << " " << things;
  return success();
}

LogicalResult DynamicReshapeOp::verify() {
  // C1
  if (failed(verifyCompatibleShape(getShape().getType().getShape(),
                                   {getType().getRank()})))
    return emitOpError("shape has ")
           << getShape().getType().getDimSize(0)
           << " elements for a result of rank " << getType().getRank();
  // C2
  return verifyElementType(*this, getInput(), getResult());
}

LogicalResult DynamicSliceOp::verify() {
  // C1
  int64_t count = getStarts().getType().getDimSize(0);
  for (Value other : {Value(getEnds()), Value(getAxes()), Value(getSteps())}) {
    if (!other)
      continue;
    int64_t size = cast<RankedTensorType>(other.getType()).getDimSize(0);
    if (failed(verifyCompatibleShape({count}, {size})))
      return emitOpError("has ")
             << count << " starts but " << size << " ends, axes or steps";
    if (ShapedType::isDynamic(count))
      count = size;
  }
  if (count > getInput().getType().getRank())
    return emitOpError("slices ")
           << count << " dimensions of " << getInput().getType();
  // C2
  return verifySameRank(*this, getInput(), getResult());
}

LogicalResult DynamicExpandOp::verify() {
  // C1
  int64_t count = getShape().getType().getDimSize(0);
  if (ShapedType::isDynamic(count))
    return emitOpError("shape has a number of elements that is not known");
  // C2
  if (getType().getRank() != std::max(getInput().getType().getRank(), count))
    return emitOpError("cannot expand ") << getInput().getType() << " to "
                                         << count << " sizes as " << getType();
  // C3, as far as types tell
  for (auto [from, to] :
       llvm::zip(llvm::reverse(getInput().getType().getShape()),
                 llvm::reverse(getType().getShape())))
    if (from != 1 && failed(verifyCompatibleShape({from}, {to})))
      return emitOpError("cannot expand size ") << from << " to size " << to;
  return verifyElementType(*this, getInput(), getResult());
}

LogicalResult TileOp::verify() {
  // C1
  if (failed(verifyCount(*this, "repeats", getRepeats(),
                         getInput().getType().getRank(), "dimensions")))
    return failure();
  // C2
  return verifySameRank(*this, getInput(), getResult());
}

LogicalResult ConstantOfShapeOp::verify() {
  // C1
  if (failed(verifyCount(*this, "shape", getShape(), getType().getRank(),
                         "dimensions")))
    return failure();
  // C2
  if (getValue().getType() != getType().getElementType())
    return emitOpError("has the value ")
           << getValue() << " for a result " << getType();
  return success();
}

LogicalResult SplitOp::verify() {
  RankedTensorType input = getInput().getType();
  // C1
  if (getDim() >= static_cast<uint64_t>(input.getRank()))
    return emitOpError("dim ") << static_cast<int64_t>(getDim())
                               << " is not a dimension of " << input;
  if (getResults().empty())
    return emitOpError("needs at least one result");
  // C2
  SmallVector<int64_t> expected(input.getShape());
  expected[getDim()] = ShapedType::kDynamic;
  for (Value result : getResults())
    if (!areCompatible({input.clone(expected)}, {result.getType()}))
      return emitOpError("cannot cut ") << result.getType() << " from " << input
                                        << " along dimension " << getDim();
  // C3
  if (getSizes())
    return verifyCount(*this, "sizes", getSizes(), getNumResults(), "results");
  return success();
}

LogicalResult TriluOp::verify() {
  // C1
  if (getType().getRank() < 2)
    return emitOpError("needs rank 2 or more, not ") << getType();
  return success();
}

LogicalResult CumSumOp::verify() {
  // C1
  if (getDim() >= static_cast<uint64_t>(getType().getRank()))
    return emitOpError("dim ") << static_cast<int64_t>(getDim())
                               << " is not a dimension of " << getType();
  return success();
}

LogicalResult NonZeroOp::verify() {
  // C1
  int64_t rank = getInput().getType().getRank();
  if (failed(verifyCompatibleShape({getType().getDimSize(0)}, {rank})))
    return emitOpError("has ") << getType().getDimSize(0)
                               << " rows for an operand of rank " << rank;
  return success();
}
