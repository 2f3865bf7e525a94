#include "dialects/nn/NnInferShape.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace dsc::nn;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Shared with the import form
//===----------------------------------------------------------------------===//

LogicalResult dsc::nn::checkDims(std::optional<Location> loc,
                                 ArrayRef<int64_t> dims, int64_t rank) {
  int64_t last = -1;
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return emitOptionalError(loc, "dims names dimension ", dim,
                               " of a tensor of rank ", rank);
    if (dim <= last)
      return emitOptionalError(loc, "dims must be strictly increasing");
    last = dim;
  }
  return success();
}

FailureOr<SmallVector<int64_t>>
dsc::nn::broadcastShapes(std::optional<Location> loc, ArrayRef<int64_t> a,
                         ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> common(a);
  size_t offset = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t &size = common[offset + i];
    // A known size other than 1 decides; `?` may still turn out to be 1.
    if (size == 1 || (ShapedType::isDynamic(size) && b[i] != 1))
      size = b[i];
    else if (b[i] != size && b[i] != 1 && !ShapedType::isDynamic(b[i]))
      return emitOptionalError(loc, "sizes ", size, " and ", b[i],
                               " of dimension ", offset + i,
                               " do not broadcast");
  }
  return common;
}

int64_t dsc::nn::countElements(ArrayRef<int64_t> shape) {
  std::optional<int64_t> count = 1;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      return ShapedType::kDynamic;
    if (count)
      count = llvm::checkedMul(*count, size);
    if (size == 0)
      count = 0;
  }
  return count.value_or(ShapedType::kDynamic);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(
      getTensorType(adaptor.getLhs()).clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(
      getTensorType(adaptor.getInput()).clone(IntegerType::get(context, 1)));
  return success();
}

LogicalResult CastOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  types.push_back(getInput().getType().clone(getType().getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto type = dyn_cast<RankedTensorType>(adaptor.getValue().getShapedType());
  if (!type)
    return emitOptionalError(loc, "value must be a ranked tensor");
  types.push_back(type);
  return success();
}

LogicalResult BroadcastOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  // Sizes of the operand that are not repeated are those of the result.
  ArrayRef<int64_t> input = getInput().getType().getShape();
  SmallVector<int64_t> shape(getType().getShape());
  for (auto [size, dim] : llvm::zip(input, getDims()))
    if (size != 1 && ShapedType::isDynamic(shape[dim]))
      shape[dim] = size;
  types.push_back(
      RankedTensorType::get(shape, getInput().getType().getElementType()));
  return success();
}

LogicalResult ReshapeOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape(getType().getShape());
  int64_t elements = countElements(getInput().getType().getShape());
  completeShape(shape, elements);
  types.push_back(
      RankedTensorType::get(shape, getInput().getType().getElementType()));
  return success();
}

void dsc::nn::completeShape(SmallVectorImpl<int64_t> &shape, int64_t elements) {
  SmallVector<int64_t> sizes;
  int64_t *unknown = nullptr;
  for (int64_t &size : shape) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(size);
    } else if (unknown) {
      return;
    } else {
      unknown = &size;
    }
  }
  int64_t known = countElements(sizes);
  if (unknown && known > 0 && elements >= 0 && elements % known == 0)
    *unknown = elements / known;
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensorType(adaptor.getInput());
  ArrayRef<int64_t> perm = adaptor.getPerm();
  // C1
  SmallVector<bool> seen(input.getRank(), false);
  bool valid = static_cast<int64_t>(perm.size()) == input.getRank();
  for (int64_t dim : perm) {
    valid = valid && dim >= 0 && dim < input.getRank() && !seen[dim];
    if (valid)
      seen[dim] = true;
  }
  if (!valid)
    return emitOptionalError(loc, "perm must be a permutation of the ",
                             input.getRank(), " dimensions of the operand");
  SmallVector<int64_t> shape;
  for (int64_t dim : perm)
    shape.push_back(input.getDimSize(dim));
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

LogicalResult dsc::nn::inferReduction(std::optional<Location> loc,
                                      Value operand, ArrayRef<int64_t> dims,
                                      bool keepDims,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType input = getTensorType(operand);
  if (failed(checkDims(loc, dims, input.getRank()))) // C1
    return failure();
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(input.getShape())) {
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      shape.push_back(size);
    else if (keepDims)
      shape.push_back(1);
  }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferReduction(loc, adaptor.getInput(), adaptor.getDims(),
                        adaptor.getKeepDims(), types);
}

LogicalResult ReduceMaxOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferReduction(loc, adaptor.getInput(), adaptor.getDims(),
                        adaptor.getKeepDims(), types);
}

LogicalResult ReduceMeanOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return inferReduction(loc, adaptor.getInput(), adaptor.getDims(),
                        adaptor.getKeepDims(), types);
}

LogicalResult AddRowsOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType init = getTensorType(adaptor.getInit());
  RankedTensorType rows = getTensorType(adaptor.getRows());
  // C1
  if (rows.getRank() != init.getRank() + 1 ||
      rows.getShape().drop_front() != init.getShape() ||
      rows.getElementType() != init.getElementType())
    return emitOptionalError(loc, "cannot add rows of ", rows, " to ", init);
  types.push_back(init);
  return success();
}

LogicalResult SumSquaresOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location>, Adaptor,
                                             SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, Float64Type::get(context)));
  return success();
}

LogicalResult SummarizeOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>, Adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({6}, Float64Type::get(context)));
  return success();
}

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType lhs = getTensorType(adaptor.getLhs());
  RankedTensorType rhs = getTensorType(adaptor.getRhs());
  // C1
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return emitOptionalError(loc, "operands must have rank 2 or more, not ",
                             lhs.getRank(), " and ", rhs.getRank());
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(loc,
                             "operands must have the same element type, "
                             "not ",
                             lhs.getElementType(), " and ",
                             rhs.getElementType());
  auto [m, lhsK] = getMatrixSizes(lhs.getShape(), adaptor.getTransposeA());
  auto [rhsK, n] = getMatrixSizes(rhs.getShape(), adaptor.getTransposeB());
  // C2
  if (failed(verifyCompatibleShape({lhsK}, {rhsK})))
    return emitOptionalError(loc, "contracted dimensions have sizes ", lhsK,
                             " and ", rhsK);
  // C3
  FailureOr<SmallVector<int64_t>> shape = broadcastShapes(
      loc, lhs.getShape().drop_back(2), rhs.getShape().drop_back(2));
  if (failed(shape))
    return failure();
  shape->append({m, n});
  types.push_back(RankedTensorType::get(*shape, lhs.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Loss
//===----------------------------------------------------------------------===//

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto scalar = RankedTensorType::get(
      {}, getTensorType(adaptor.getLogits()).getElementType());
  types.append({scalar, scalar});
  return success();
}

LogicalResult
CrossEntropyRowsOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  types.append(2, adaptor.getRowWeight().getType());
  return success();
}

LogicalResult
CrossEntropyGradOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getLogits().getType());
  return success();
}

LogicalResult CountCorrectOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location>, Adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, Float64Type::get(context)));
  return success();
}
