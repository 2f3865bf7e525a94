// Result types of shape arithmetic in import form. The numbers are those of the
// constraints in the operation's description.

#include "dialects/nn/NnInferShape.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <cmath>

using namespace mlir;
using namespace dsc::nn;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The type of `value` with all sizes `?`.
static RankedTensorType withUnknownSizes(Value value, int64_t rank) {
  return RankedTensorType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                               getTensorType(value).getElementType());
}

std::optional<SmallVector<int64_t>> dsc::nn::getConstantSizes(Value value) {
  DenseIntElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  return llvm::map_to_vector(
      elements, [](const APInt &element) { return element.getSExtValue(); });
}

bool dsc::nn::isNonZero(DenseElementsAttr elements, int64_t position) {
  if (isa<FloatType>(elements.getElementType()))
    return !(*(elements.value_begin<APFloat>() + position)).isZero();
  return !(*(elements.value_begin<APInt>() + position)).isZero();
}

LogicalResult dsc::nn::inferResultTypes(Operation *op) {
  SmallVector<Type> types;
  if (failed(cast<ShapeInferenceOpInterface>(op).reinferResultTypes(types)))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  return success();
}

//===----------------------------------------------------------------------===//
// shape_of
//===----------------------------------------------------------------------===//

LogicalResult ShapeOfOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  int64_t rank = getTensorType(adaptor.getInput()).getRank();
  int64_t start = adaptor.getStart(), end = adaptor.getEnd();
  // C1
  if (start < 0 || start > end || end > rank)
    return emitOptionalError(loc, "takes dimensions from ", start,
                             " to before ", end, " of a tensor of rank ", rank);
  types.push_back(
      RankedTensorType::get({end - start}, IntegerType::get(context, 64)));
  return success();
}

//===----------------------------------------------------------------------===//
// dynamic_slice
//===----------------------------------------------------------------------===//

void DynamicSliceOp::build(OpBuilder &builder, OperationState &state,
                           Value input, Value starts, Value ends, Value axes,
                           Value steps) {
  build(builder, state, withUnknownSizes(input, getTensorType(input).getRank()),
        input, starts, ends, axes, steps);
}

/// What ONNX Slice takes of a dimension of `size` elements.
static SliceRange getRange(int64_t size, int64_t start, int64_t end,
                           int64_t step) {
  auto fromEnd = [&](int64_t position) {
    return position < 0 ? position + size : position;
  };
  bool backwards = step < 0;
  int64_t first = backwards ? -1 : 0, last = backwards ? size - 1 : size;
  end = std::clamp(fromEnd(end), first, last);
  start = size == 0 ? 0 : std::clamp<int64_t>(fromEnd(start), 0, last);
  int64_t distance = backwards ? start - end : end - start;
  if (distance <= 0 || size == 0)
    return {0, 0, 1};
  // The magnitude of the least int64_t is none; any step that long takes one.
  int64_t stride =
      backwards ? -std::max(step, -std::numeric_limits<int64_t>::max()) : step;
  int64_t count = (distance - 1) / stride + 1;
  return {start, count, count == 1 ? 1 : step};
}

FailureOr<SmallVector<SliceRange>>
dsc::nn::getSliceRanges(DynamicSliceOp op,
                        llvm::function_ref<InFlightDiagnostic()> emitError) {
  const SliceRange unknown = {0, ShapedType::kDynamic, 1};
  RankedTensorType input = op.getInput().getType();
  auto starts = getConstantSizes(op.getStarts());
  auto ends = getConstantSizes(op.getEnds());
  auto axes = getConstantSizes(op.getAxes());
  auto steps = getConstantSizes(op.getSteps());
  int64_t count = op.getStarts().getType().getDimSize(0);
  if (axes)
    count = axes->size();
  if (ShapedType::isDynamic(count) || (op.getAxes() && !axes))
    return SmallVector<SliceRange>(input.getRank(), unknown);
  bool areKnown = starts && ends && (steps || !op.getSteps());
  SmallVector<SliceRange> ranges;
  for (int64_t size : input.getShape())
    ranges.push_back({0, size, 1});
  SmallVector<bool> seen(input.getRank(), false);
  for (int64_t i = 0; i < count; ++i) {
    int64_t axis = axes ? (*axes)[i] : i;
    int64_t dim = axis < 0 ? axis + input.getRank() : axis;
    // C3
    if (dim < 0 || dim >= input.getRank())
      return emitError() << "axis " << axis
                         << " is not a dimension of the operand";
    if (seen[dim])
      return emitError() << "axis " << axis << " occurs twice";
    seen[dim] = true;
    int64_t step = steps ? (*steps)[i] : 1;
    if (step == 0) // C4
      return emitError() << "has step 0 along dimension " << dim;
    ranges[dim] =
        areKnown && !input.isDynamicDim(dim)
            ? getRange(input.getDimSize(dim), (*starts)[i], (*ends)[i], step)
            : unknown;
  }
  return ranges;
}

FailureOr<std::optional<SmallVector<SliceRange>>> DynamicSliceOp::getRanges() {
  auto ranges = getSliceRanges(*this, [&] { return emitOpError(); });
  if (failed(ranges))
    return failure();
  using Ranges = std::optional<SmallVector<SliceRange>>;
  bool isKnown = llvm::none_of(*ranges, [](const SliceRange &range) {
    return ShapedType::isDynamic(range.size);
  });
  return isKnown ? Ranges(*ranges) : Ranges();
}

LogicalResult DynamicSliceOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  auto ranges = getSliceRanges(*this, [&] { return emitOpError(); });
  if (failed(ranges))
    return failure();
  SmallVector<int64_t> shape;
  for (const SliceRange &range : *ranges)
    shape.push_back(range.size);
  types.push_back(
      RankedTensorType::get(shape, getInput().getType().getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// dynamic_expand, tile, constant_of_shape
//===----------------------------------------------------------------------===//

void DynamicExpandOp::build(OpBuilder &builder, OperationState &state,
                            Value input, Value shape) {
  int64_t rank =
      std::max(getTensorType(input).getRank(),
               std::max<int64_t>(getTensorType(shape).getDimSize(0), 0));
  build(builder, state, withUnknownSizes(input, rank), input, shape);
}

LogicalResult
DynamicExpandOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType input = getInput().getType();
  SmallVector<int64_t> sizes(getShape().getType().getDimSize(0),
                             ShapedType::kDynamic);
  if (auto constant = getConstantSizes(getShape()))
    sizes = *constant;
  for (int64_t size : sizes)
    if (size < 0 && !ShapedType::isDynamic(size)) // C3
      return emitOpError("expands to the negative size ") << size;
  FailureOr<SmallVector<int64_t>> shape =
      broadcastShapes(getLoc(), input.getShape(), sizes);
  if (failed(shape)) // C3
    return failure();
  types.push_back(RankedTensorType::get(*shape, input.getElementType()));
  return success();
}

void TileOp::build(OpBuilder &builder, OperationState &state, Value input,
                   Value repeats) {
  build(builder, state, withUnknownSizes(input, getTensorType(input).getRank()),
        input, repeats);
}

LogicalResult TileOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType input = getInput().getType();
  SmallVector<int64_t> shape(getType().getShape());
  if (auto repeats = getConstantSizes(getRepeats()))
    for (auto [size, from, count] :
         llvm::zip_equal(shape, input.getShape(), *repeats)) {
      if (count < 0) // C3
        return emitOpError("repeats a dimension ") << count << " times";
      size = countElements({from, count});
    }
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

void ConstantOfShapeOp::build(OpBuilder &builder, OperationState &state,
                              Value shape, TypedAttr value) {
  SmallVector<int64_t> sizes(
      std::max<int64_t>(getTensorType(shape).getDimSize(0), 0),
      ShapedType::kDynamic);
  build(builder, state, RankedTensorType::get(sizes, value.getType()), shape,
        value);
}

LogicalResult
ConstantOfShapeOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> shape(getType().getShape());
  if (auto sizes = getConstantSizes(getShape()))
    shape = *sizes;
  for (int64_t size : shape)
    if (size < 0 && !ShapedType::isDynamic(size)) // C3
      return emitOpError("has the negative size ") << size;
  types.push_back(getType().clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// range
//===----------------------------------------------------------------------===//

void RangeOp::build(OpBuilder &builder, OperationState &state, Value start,
                    Value limit, Value delta) {
  build(builder, state, withUnknownSizes(start, 1), start, limit, delta);
}

/// The number of elements of a range of integers.
static std::optional<int64_t> countSteps(int64_t start, int64_t limit,
                                         int64_t delta) {
  if (delta == 0)
    return std::nullopt;
  if (delta > 0 ? start >= limit : start <= limit)
    return 0;
  std::optional<int64_t> distance = llvm::checkedSub(limit, start);
  if (!distance)
    return std::nullopt;
  // Towards zero, so that it is right for both signs.
  return (*distance + (delta > 0 ? -1 : 1)) / delta + 1;
}

static std::optional<int64_t> countSteps(double start, double limit,
                                         double delta) {
  double count = std::ceil((limit - start) / delta);
  if (delta == 0 || !(count < 0x1p62))
    return std::nullopt;
  return std::max<int64_t>(static_cast<int64_t>(count), 0);
}

LogicalResult RangeOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  Type elementType = getType().getElementType();
  DenseElementsAttr start, limit, delta;
  if (!matchPattern(getStart(), m_Constant(&start)) ||
      !matchPattern(getLimit(), m_Constant(&limit)) ||
      !matchPattern(getDelta(), m_Constant(&delta))) {
    types.push_back(getType());
    return success();
  }
  std::optional<int64_t> count;
  if (isa<FloatType>(elementType)) {
    auto get = [](DenseElementsAttr value) {
      return value.getSplatValue<FloatAttr>().getValueAsDouble();
    };
    count = countSteps(get(start), get(limit), get(delta));
  } else {
    auto get = [](DenseElementsAttr value) {
      return value.getSplatValue<APInt>().getSExtValue();
    };
    count = countSteps(get(start), get(limit), get(delta));
  }
  if (!count) // C3
    return emitOpError("does not end: it goes from ")
           << start.getSplatValue<Attribute>() << " to "
           << limit.getSplatValue<Attribute>() << " in steps of "
           << delta.getSplatValue<Attribute>();
  types.push_back(RankedTensorType::get({*count}, elementType));
  return success();
}

//===----------------------------------------------------------------------===//
// split, nonzero, gather_nd, reduce_prod
//===----------------------------------------------------------------------===//

void SplitOp::build(OpBuilder &builder, OperationState &state, Value input,
                    Value sizes, int64_t dim, unsigned parts) {
  RankedTensorType type = getTensorType(input);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = ShapedType::kDynamic;
  SmallVector<Type> types(parts, type.clone(shape));
  build(builder, state, types, input, sizes, dim);
}

LogicalResult SplitOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType input = getInput().getType();
  int64_t parts = getNumResults(), whole = input.getDimSize(getDim());
  SmallVector<int64_t> sizes(parts, ShapedType::kDynamic);
  if (auto constant = getConstantSizes(getSizes())) {
    int64_t sum = 0;
    for (int64_t size : *constant)
      if (size < 0 || llvm::AddOverflow(sum, size, sum)) // C4
        return emitOpError("has a part of size ") << size;
    if (!ShapedType::isDynamic(whole) && sum != whole) // C4
      return emitOpError("has parts of ")
             << sum << " elements in all, but dimension " << getDim() << " has "
             << whole;
    sizes = *constant;
  } else if (!getSizes() && !ShapedType::isDynamic(whole)) {
    int64_t part = llvm::divideCeil(whole, parts);
    for (auto [k, size] : llvm::enumerate(sizes))
      size = std::clamp<int64_t>(whole - k * part, 0, part);
  }
  for (int64_t size : sizes) {
    SmallVector<int64_t> shape(input.getShape());
    shape[getDim()] = size;
    types.push_back(RankedTensorType::get(shape, input.getElementType()));
  }
  return success();
}

void NonZeroOp::build(OpBuilder &builder, OperationState &state, Value input) {
  build(builder, state,
        RankedTensorType::get(
            {getTensorType(input).getRank(), ShapedType::kDynamic},
            builder.getI64Type()),
        input);
}

LogicalResult NonZeroOp::reinferResultTypes(SmallVectorImpl<Type> &types) {
  DenseElementsAttr elements;
  int64_t count = getType().getDimSize(1);
  if (matchPattern(getInput(), m_Constant(&elements)))
    count = llvm::count_if(
        llvm::seq<int64_t>(0, elements.getNumElements()),
        [&](int64_t position) { return isNonZero(elements, position); });
  types.push_back(getType().clone({getInput().getType().getRank(), count}));
  return success();
}

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensorType(adaptor.getData());
  RankedTensorType indices = getTensorType(adaptor.getIndices());
  int64_t batch = adaptor.getBatchDims();
  // C1
  if (batch < 0 || batch >= std::min(data.getRank(), indices.getRank()))
    return emitOptionalError(loc, "batch_dims ", batch, " does not fit ", data,
                             " and ", indices);
  // C2
  int64_t depth = indices.getShape().back();
  if (ShapedType::isDynamic(depth) || depth > data.getRank() - batch)
    return emitOptionalError(loc, "cannot name places in ", data, " by ",
                             indices);
  // C3
  if (failed(verifyCompatibleShape(data.getShape().take_front(batch),
                                   indices.getShape().take_front(batch))))
    return emitOptionalError(loc, "has different batch sizes in ", data,
                             " and ", indices);
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, data.getShape().drop_front(batch + depth));
  types.push_back(RankedTensorType::get(shape, data.getElementType()));
  return success();
}

LogicalResult ReduceProdOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return inferReduction(loc, adaptor.getInput(), adaptor.getDims(),
                        adaptor.getKeepDims(), types);
}
