// Result types of normalization, attention and dropout.

#include "dialects/nn/NnInferShape.h"

using namespace mlir;
using namespace dsc::nn;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

LogicalResult SoftmaxLseOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensorType(adaptor.getInput());
  // C1
  if (input.getRank() == 0)
    return emitOptionalError(loc, "a scalar has no rows");
  types.append({input, input.clone(input.getShape().drop_back())});
  return success();
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensorType(adaptor.getInput());
  RankedTensorType scale = getTensorType(adaptor.getScale());
  // C1
  if (scale.getRank() == 0 || scale.getRank() > input.getRank() ||
      failed(verifyCompatibleShape(
          scale.getShape(), input.getShape().take_back(scale.getRank()))))
    return emitOptionalError(loc, "scale of type ", scale,
                             " does not have the shape of the last dimensions "
                             "of ",
                             input);
  RankedTensorType row =
      input.clone(input.getShape().drop_back(scale.getRank()));
  types.append({input, row, row});
  return success();
}

LogicalResult LayerNormGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location>,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType query = getTensorType(adaptor.getQuery());
  RankedTensorType value = getTensorType(adaptor.getValue());
  // C1
  if (query.getRank() < 2 || value.getRank() != query.getRank())
    return emitOptionalError(loc,
                             "operands must have one rank, 2 or more, not ",
                             query, " and ", value);
  SmallVector<int64_t> shape(query.getShape());
  shape.back() = value.getShape().back();
  types.append({query.clone(shape), query.clone(query.getShape().drop_back())});
  return success();
}

LogicalResult AttentionGradOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  types.append({adaptor.getQuery().getType(), adaptor.getKey().getType(),
                adaptor.getValue().getType()});
  if (!adaptor.getBiasGradient())
    return success();
  // C3
  if (!adaptor.getBias())
    return emitOptionalError(loc, "there is no bias to have a gradient");
  types.push_back(adaptor.getBias().getType());
  return success();
}
