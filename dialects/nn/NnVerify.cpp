// The numbers are those of the constraints in the operation's description.
// What an operation's type inference checks stands in NnInferShape*.cpp.

#include "dialects/nn/NnInferShape.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dsc::nn;

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

LogicalResult SelectOp::verify() {
  // C2
  if (getCondition().getType().getShape() != getType().getShape())
    return emitOpError("condition has type ")
           << getCondition().getType() << ", which is not of the shape of "
           << getType();
  return success();
}

LogicalResult CastOp::verify() {
  // C1
  if (failed(verifyCompatibleShape(getInput().getType(), getType())))
    return emitOpError("changes the shape from ")
           << getInput().getType() << " to " << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  // C1
  if (static_cast<int64_t>(getDims().size()) != input.getRank())
    return emitOpError("dims has ")
           << getDims().size() << " entries for an operand of rank "
           << input.getRank();
  // C2
  if (failed(checkDims(getLoc(), getDims(), result.getRank())))
    return failure();
  // C3
  for (auto [size, dim] : llvm::zip(input.getShape(), getDims()))
    if (size != 1 &&
        failed(verifyCompatibleShape({size}, {result.getDimSize(dim)})))
      return emitOpError("cannot broadcast size ")
             << size << " to size " << result.getDimSize(dim)
             << " of dimension " << dim;
  // C4
  if (input.getElementType() != result.getElementType())
    return emitOpError("changes the element type from ")
           << input.getElementType() << " to " << result.getElementType();
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType input = getInput().getType(), result = getType();
  // C1
  if (input.getElementType() != result.getElementType())
    return emitOpError("changes the element type from ")
           << input.getElementType() << " to " << result.getElementType();
  // C2
  int64_t from = countElements(input.getShape());
  int64_t to = countElements(result.getShape());
  if (failed(verifyCompatibleShape({from}, {to})))
    return emitOpError("changes the number of elements from ")
           << from << " to " << to;
  return success();
}

LogicalResult IotaOp::verify() {
  // C1
  if (getDim() >= static_cast<uint64_t>(getType().getRank()))
    return emitOpError("dim ") << static_cast<int64_t>(getDim())
                               << " is not a dimension of " << getType();
  if (!getType().hasStaticShape())
    return emitOpError("needs a result of static shape, not ") << getType();
  return success();
}

LogicalResult ScatterAddOp::verify() {
  RankedTensorType indices = getIndices().getType();
  RankedTensorType updates = getUpdates().getType(), result = getType();
  // C1
  int64_t rank = indices.getRank();
  if (updates.getRank() < rank ||
      failed(verifyCompatibleShape(updates.getShape().take_front(rank),
                                   indices.getShape())))
    return emitOpError("has indices ") << indices << " for updates " << updates;
  // C2
  ArrayRef<int64_t> row = updates.getShape().drop_front(rank);
  if (result.getRank() == 0 ||
      failed(verifyCompatibleShape(result.getShape().drop_front(), row)) ||
      result.getElementType() != updates.getElementType())
    return emitOpError("cannot add rows of ") << updates << " into " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

static LogicalResult verifyDim(Operation *op, int64_t dim,
                               RankedTensorType type) {
  // C1
  if (dim < 0 || dim >= type.getRank())
    return op->emitOpError("dim ") << dim << " is not a dimension of " << type;
  return success();
}

LogicalResult SoftmaxOp::verify() {
  return verifyDim(*this, getDim(), getType());
}

LogicalResult LogSoftmaxOp::verify() {
  return verifyDim(*this, getDim(), getType());
}

//===----------------------------------------------------------------------===//
// Loss
//===----------------------------------------------------------------------===//

/// C1, C2 and C4 of the operations on rows of logits.
template <typename OpTy> static LogicalResult verifyRows(OpTy op) {
  RankedTensorType logits = op.getLogits().getType();
  RankedTensorType labels = op.getLabels().getType();
  RankedTensorType weights = op.getRowWeight().getType();
  // C1
  ArrayRef<int64_t> rows = logits.getShape().take_front();
  if (failed(verifyCompatibleShape(labels.getShape(), rows)) ||
      failed(verifyCompatibleShape(weights.getShape(), rows)))
    return op.emitOpError("has logits ") << logits << " but labels " << labels
                                         << " and row weights " << weights;
  // C2
  if (logits.getElementType() != weights.getElementType())
    return op.emitOpError("has logits of ")
           << logits.getElementType() << " but row weights of "
           << weights.getElementType();
  // C4
  unsigned width = labels.getElementType().getIntOrFloatBitWidth();
  if (!llvm::isIntN(width, op.getIgnoreIndex()))
    return op.emitOpError("ignore_index ")
           << op.getIgnoreIndex() << " is not a value of "
           << labels.getElementType();
  return success();
}

LogicalResult CrossEntropyOp::verify() { return verifyRows(*this); }

LogicalResult CrossEntropyRowsOp::verify() { return verifyRows(*this); }

LogicalResult CrossEntropyGradOp::verify() {
  // C2
  if (getSeed().getType().getElementType() !=
      getLogits().getType().getElementType())
    return emitOpError("has logits of ")
           << getLogits().getType().getElementType() << " but a seed of "
           << getSeed().getType().getElementType();
  return verifyRows(*this);
}

LogicalResult CountCorrectOp::verify() { return verifyRows(*this); }

LogicalResult SoftmaxCrossEntropyLossOp::verify() {
  RankedTensorType scores = getScores().getType();
  RankedTensorType labels = getLabels().getType();
  // C1
  if (scores.getRank() < 2)
    return emitOpError("scores must have rank 2 or more, not ")
           << scores.getRank();
  SmallVector<int64_t> expected(scores.getShape());
  expected.erase(expected.begin() + 1);
  if (failed(verifyCompatibleShape(labels.getShape(), expected)))
    return emitOpError("labels of type ")
           << labels << " do not fit scores of type " << scores;
  // C2, C3
  if (Value weights = getClassWeights())
    if (!areCompatible({RankedTensorType::get({scores.getDimSize(1)},
                                              scores.getElementType())},
                       {weights.getType()}))
      return emitOpError("class weights of type ")
             << weights.getType() << " do not fit scores of type " << scores;
  // C3, C4
  SmallVector<int64_t> loss;
  if (getReduction() == LossReduction::none)
    loss = expected;
  if (!areCompatible({RankedTensorType::get(loss, scores.getElementType())},
                     {getLoss().getType()}))
    return emitOpError("loss of type ")
           << getLoss().getType() << " does not fit scores of type " << scores
           << " and reduction " << stringifyLossReduction(getReduction());
  // C5
  if (getLogProb() && !areCompatible({scores}, {getLogProb().getType()}))
    return emitOpError("log_prob of type ")
           << getLogProb().getType() << " differs from scores of type "
           << scores;
  return success();
}
