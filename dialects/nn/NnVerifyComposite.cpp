// Constraints of normalization, attention and dropout; the numbers are those of
// the operations' descriptions.

#include "dialects/nn/NnInferShape.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dsc::nn;

/// Whether all operands have the element type of the first.
static LogicalResult verifyOneElementType(Operation *op, ValueRange operands) {
  Type first = getElementTypeOrSelf(operands.front());
  for (Value operand : operands.drop_front())
    if (getElementTypeOrSelf(operand) != first)
      return op->emitOpError("has operands of ")
             << first << " and of " << getElementTypeOrSelf(operand);
  return success();
}

/// Whether `value` has the shape `expected`, where both are known.
static LogicalResult verifyShape(Operation *op, StringRef name, Value value,
                                 ArrayRef<int64_t> expected) {
  auto type = cast<RankedTensorType>(value.getType());
  if (failed(verifyCompatibleShape(type.getShape(), expected)))
    return op->emitOpError(name)
           << " has type " << type << ", not shape [" << expected << "]";
  return success();
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

LogicalResult LayerNormOp::verify() {
  // C2
  if (Value bias = getBias();
      bias &&
      failed(verifyShape(*this, "bias", bias, getScale().getType().getShape())))
    return failure();
  // C3
  if (failed(verifyOneElementType(*this, getOperands())))
    return failure();
  // C4
  if (!getEpsilon().isFinite() || getEpsilon().isNegative())
    return emitOpError("epsilon must be a number that is not negative, not ")
           << getEpsilon().convertToDouble();
  return success();
}

LogicalResult LayerNormGradOp::verify() {
  RankedTensorType input = getInput().getType();
  // C2
  if (input.getRank() == 0)
    return emitOpError("a scalar has no rows");
  ArrayRef<int64_t> rows = input.getShape().drop_back();
  if (failed(verifyShape(*this, "gradient", getGradient(),
                         input.getShape())) || // C1
      failed(verifyShape(*this, "scale", getScale(),
                         input.getShape().take_back())) || // C2
      failed(verifyShape(*this, "mean", getMean(), rows)) ||
      failed(verifyShape(*this, "rstd", getRstd(), rows))) // C3
    return failure();
  return verifyOneElementType(*this, getOperands()); // C4
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// C1 to C5 of nn.attention.
template <typename OpTy> static LogicalResult verifyAttention(OpTy op) {
  RankedTensorType query = op.getQuery().getType();
  RankedTensorType key = op.getKey().getType();
  RankedTensorType value = op.getValue().getType();
  int64_t rank = query.getRank();
  // C1
  if (rank < 2 || key.getRank() != rank || value.getRank() != rank)
    return op.emitOpError("operands must have one rank, 2 or more, not ")
           << query << ", " << key << " and " << value;
  if (failed(verifyOneElementType(op, op->getOperands())))
    return failure();
  // C2
  ArrayRef<int64_t> batch = query.getShape().drop_back(2);
  for (RankedTensorType other : {key, value})
    if (failed(verifyCompatibleShape(other.getShape().drop_back(2), batch)))
      return op.emitOpError("has batch dimensions that differ: ")
             << query << " and " << other;
  // C3
  auto differ = [](int64_t a, int64_t b) {
    return failed(verifyCompatibleShape({a}, {b}));
  };
  if (differ(query.getShape().back(), key.getShape().back()))
    return op.emitOpError("queries have ")
           << query.getShape().back() << " elements and keys "
           << key.getShape().back();
  int64_t keys = key.getDimSize(rank - 2);
  if (differ(keys, value.getDimSize(rank - 2)))
    return op.emitOpError("has ")
           << keys << " keys and " << value.getDimSize(rank - 2) << " values";
  // C4
  if (Value bias = op.getBias()) {
    auto type = cast<RankedTensorType>(bias.getType());
    SmallVector<int64_t> scores(query.getShape());
    scores.back() = keys;
    bool fits = type.getRank() == rank;
    for (int64_t i = 0; fits && i < rank; ++i)
      fits = type.getDimSize(i) == 1 || !differ(type.getDimSize(i), scores[i]);
    if (!fits)
      return op.emitOpError("bias of type ")
             << type << " does not broadcast to scores of shape [" << scores
             << "]";
  }
  // C5
  if (!op.getScale().isFinite())
    return op.emitOpError("scale must be finite");
  return success();
}

LogicalResult AttentionOp::verify() { return verifyAttention(*this); }

LogicalResult AttentionGradOp::verify() {
  if (failed(verifyAttention(*this))) // C1
    return failure();
  // C2
  ArrayRef<int64_t> query = getQuery().getType().getShape();
  SmallVector<int64_t> result(query);
  result.back() = getValue().getType().getShape().back();
  if (failed(verifyShape(*this, "gradient", getGradient(), result)) ||
      failed(verifyShape(*this, "output", getOutput(), result)))
    return failure();
  return verifyShape(*this, "lse", getLse(), query.drop_back());
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

LogicalResult DropoutOp::verify() {
  // C2, written so that NaN fails
  double probability = getProbability().convertToDouble();
  if (!(probability >= 0.0 && probability <= 1.0))
    return emitOpError("probability must be between 0 and 1, not ")
           << probability;
  return success();
}
