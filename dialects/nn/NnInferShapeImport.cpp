#include "dialects/nn/NnInferShape.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace dsc::nn;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

LogicalResult BroadcastTogetherOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  // C1
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "needs at least one operand");
  SmallVector<int64_t> shape;
  for (Value input : adaptor.getInputs()) {
    FailureOr<SmallVector<int64_t>> common =
        broadcastShapes(loc, shape, getTensorType(input).getShape());
    if (failed(common)) // C2
      return failure();
    shape = *common;
  }
  for (Value input : adaptor.getInputs())
    types.push_back(
        RankedTensorType::get(shape, getTensorType(input).getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// dynamic_reshape
//===----------------------------------------------------------------------===//

LogicalResult
DynamicReshapeOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType input = getInput().getType();
  DenseIntElementsAttr sizes;
  if (!matchPattern(getShape(), m_Constant(&sizes))) {
    types.push_back(getType().clone(input.getElementType()));
    return success();
  }
  // Copied dimensions are on both sides and cancel, so that -1 is 6 in
  // [?, 2, 3] -> [0, -1]. `rest` and `written` are what remains.
  SmallVector<int64_t> shape, written, rest(input.getShape());
  std::optional<size_t> inferred;
  bool copiesZero = false;
  for (auto [dim, size] : llvm::enumerate(sizes.getValues<int64_t>())) {
    // C3
    if (size < -1 || (size == -1 && inferred))
      return emitOpError("shape has ")
             << (inferred ? "a second -1" : "a negative size") << " in place "
             << dim;
    if (size == -1) {
      inferred = dim;
      shape.push_back(ShapedType::kDynamic);
    } else if (size == 0 && !getAllowZero()) {
      if (static_cast<int64_t>(dim) >= input.getRank())
        return emitOpError("shape copies dimension ")
               << dim << " of an operand of rank " << input.getRank();
      shape.push_back(input.getDimSize(dim));
      copiesZero |= shape.back() == 0;
      rest[dim] = 1;
    } else {
      shape.push_back(size);
      written.push_back(size);
    }
  }
  // C4
  int64_t from = countElements(rest), to = countElements(written);
  if (!ShapedType::isDynamic(from)) {
    bool fits = inferred ? to > 0 && from % to == 0 : from == to || copiesZero;
    if (!fits)
      return emitOpError("shape does not fit the elements of ") << input;
    if (inferred)
      shape[*inferred] = from / to;
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Other shape operations
//===----------------------------------------------------------------------===//

LogicalResult ReshapeLikeOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensorType(adaptor.getInput());
  RankedTensorType like = getTensorType(adaptor.getLike());
  // C1
  if (failed(verifyCompatibleShape({countElements(input.getShape())},
                                   {countElements(like.getShape())})))
    return emitOptionalError(loc, "number of elements of ", input, " and ",
                             like, " differ");
  types.push_back(like.clone(input.getElementType()));
  return success();
}

LogicalResult FlattenOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensorType(adaptor.getInput());
  int64_t axis = adaptor.getAxis();
  // C1
  if (axis < 0 || axis > input.getRank())
    return emitOptionalError(loc, "axis ", axis, " is not between 0 and rank ",
                             input.getRank());
  types.push_back(
      RankedTensorType::get({countElements(input.getShape().take_front(axis)),
                             countElements(input.getShape().drop_front(axis))},
                            input.getElementType()));
  return success();
}

LogicalResult SqueezeOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensorType(adaptor.getInput());
  if (failed(checkDims(loc, adaptor.getDims(), input.getRank()))) // C1
    return failure();
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(input.getShape())) {
    if (!llvm::is_contained(adaptor.getDims(), static_cast<int64_t>(dim)))
      shape.push_back(size);
    else if (size != 1 && !ShapedType::isDynamic(size)) // C2
      return emitOptionalError(loc, "dimension ", dim, " has size ", size,
                               ", not 1");
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

LogicalResult UnsqueezeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensorType(adaptor.getInput());
  ArrayRef<int64_t> dims = adaptor.getDims();
  int64_t rank = input.getRank() + dims.size();
  if (failed(checkDims(loc, dims, rank))) // C1
    return failure();
  SmallVector<int64_t> shape;
  ArrayRef<int64_t> sizes = input.getShape();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(dims, dim)) {
      shape.push_back(1);
      continue;
    }
    shape.push_back(sizes.front());
    sizes = sizes.drop_front();
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Loss
//===----------------------------------------------------------------------===//

LogicalResult
SoftmaxCrossEntropyLossOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType scores = getScores().getType();
  SmallVector<int64_t> loss;
  if (getReduction() == LossReduction::none)
    loss.assign(getLabels().getType().getShape().begin(),
                getLabels().getType().getShape().end());
  types.push_back(RankedTensorType::get(loss, scores.getElementType()));
  if (getLogProb())
    types.push_back(scores);
  return success();
}
