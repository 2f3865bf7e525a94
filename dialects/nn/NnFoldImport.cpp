// Folds of import form: with static shapes and constant sizes, shape arithmetic
// is constant, and operations that change nothing are their operands.

#include "dialects/nn/NnFold.h"
#include "dialects/nn/NnInferShape.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dsc::nn;

static RankedTensorType getResultType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

/// Whether the operand has the result's static shape. For operations that keep
/// their operand wherever they keep its shape.
static bool keepsShape(Value input, RankedTensorType result) {
  return input.getType() == result && result.hasStaticShape();
}

//===----------------------------------------------------------------------===//
// Same elements in the same order
//===----------------------------------------------------------------------===//

static OpFoldResult foldReshape(Operation *op, Attribute input) {
  RankedTensorType type = getResultType(op);
  if (keepsShape(op->getOperand(0), type))
    return op->getOperand(0);
  auto value = dyn_cast_if_present<DenseElementsAttr>(input);
  if (!value || !type.hasStaticShape() ||
      value.getNumElements() != type.getNumElements() ||
      (!value.isSplat() && !isFoldable(type)))
    return {};
  return value.reshape(type);
}

OpFoldResult DynamicReshapeOp::fold(FoldAdaptor adaptor) {
  return foldReshape(*this, adaptor.getInput());
}

OpFoldResult ReshapeLikeOp::fold(FoldAdaptor adaptor) {
  return foldReshape(*this, adaptor.getInput());
}

OpFoldResult FlattenOp::fold(FoldAdaptor adaptor) {
  return foldReshape(*this, adaptor.getInput());
}

OpFoldResult SqueezeOp::fold(FoldAdaptor adaptor) {
  return foldReshape(*this, adaptor.getInput());
}

OpFoldResult UnsqueezeOp::fold(FoldAdaptor adaptor) {
  return foldReshape(*this, adaptor.getInput());
}

//===----------------------------------------------------------------------===//
// Repeated elements
//===----------------------------------------------------------------------===//

/// `input`, of constant value `attribute` if that is not null, broadcast to
/// `type` with dimensions aligned at the right; null if that is no constant.
static OpFoldResult foldBroadcast(Value input, Attribute attribute,
                                  RankedTensorType type) {
  if (keepsShape(input, type))
    return input;
  auto value = dyn_cast_if_present<DenseElementsAttr>(attribute);
  if (!value || !type.hasStaticShape())
    return {};
  auto dims = llvm::to_vector(llvm::seq<int64_t>(
      type.getRank() - value.getType().getRank(), type.getRank()));
  return broadcastElements(value, type, dims);
}

LogicalResult
BroadcastTogetherOp::fold(FoldAdaptor adaptor,
                          SmallVectorImpl<OpFoldResult> &results) {
  for (auto [input, attribute, result] :
       llvm::zip_equal(getInputs(), adaptor.getInputs(), getResults())) {
    results.push_back(foldBroadcast(input, attribute,
                                    cast<RankedTensorType>(result.getType())));
    if (!results.back())
      return failure();
  }
  return success();
}

OpFoldResult DynamicExpandOp::fold(FoldAdaptor adaptor) {
  return foldBroadcast(getInput(), adaptor.getInput(), getType());
}

OpFoldResult TileOp::fold(FoldAdaptor adaptor) {
  if (keepsShape(getInput(), getType()))
    return getInput();
  auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getInput());
  if (!value || value.empty() || !getType().hasStaticShape())
    return {};
  if (value.isSplat() && getType().getNumElements() > 0)
    return value.resizeSplat(getType());
  ArrayRef<int64_t> shape = value.getType().getShape();
  SmallVector<int64_t> steps = computeStrides(shape);
  return collectElements(getType(), value, [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [k, size, step] : llvm::zip_equal(index, shape, steps))
      position += k % size * step;
    return ElementPlace{0, position};
  });
}

OpFoldResult ConstantOfShapeOp::fold(FoldAdaptor) {
  if (!getType().hasStaticShape())
    return {};
  return DenseElementsAttr::get(getType(), Attribute(getValue()));
}

//===----------------------------------------------------------------------===//
// Sizes and positions
//===----------------------------------------------------------------------===//

OpFoldResult ShapeOfOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> sizes =
      getInput().getType().getShape().slice(getStart(), getEnd() - getStart());
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    return {};
  return DenseIntElementsAttr::get(getType(), sizes);
}

OpFoldResult RangeOp::fold(FoldAdaptor adaptor) {
  auto values = getConstants({adaptor.getStart(), adaptor.getDelta()});
  if (!values || !isFoldable(getType()))
    return {};
  int64_t count = getType().getNumElements();
  if (isa<FloatType>(getType().getElementType())) {
    double start = (*values)[0].getSplatValue<FloatAttr>().getValueAsDouble();
    double delta = (*values)[1].getSplatValue<FloatAttr>().getValueAsDouble();
    SmallVector<Attribute> elements;
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(
          FloatAttr::get(getType().getElementType(), start + i * delta));
    return DenseElementsAttr::get(getType(), elements);
  }
  APInt element = (*values)[0].getSplatValue<APInt>();
  APInt delta = (*values)[1].getSplatValue<APInt>();
  SmallVector<APInt> elements;
  for (int64_t i = 0; i < count; ++i, element += delta)
    elements.push_back(element);
  return DenseElementsAttr::get(getType(), elements);
}

OpFoldResult NonZeroOp::fold(FoldAdaptor adaptor) {
  auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getInput());
  if (!value || !isFoldable(getType()) || !isFoldable(value.getType()))
    return {};
  SmallVector<SmallVector<int64_t>> places;
  int64_t position = 0;
  forEachIndex(value.getType().getShape(), [&](ArrayRef<int64_t> index) {
    if (isNonZero(value, position++))
      places.emplace_back(index);
  });
  if (static_cast<int64_t>(places.size()) != getType().getDimSize(1))
    return {};
  return collectIntegers(getType(), [&](ArrayRef<int64_t> index) {
    return places[index[1]][index[0]];
  });
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The constant of `type` with elements of `value` at `ranges`.
static Attribute sliceElements(DenseElementsAttr value, RankedTensorType type,
                               ArrayRef<SliceRange> ranges) {
  if (value.isSplat() && type.getNumElements() > 0)
    return value.resizeSplat(type);
  SmallVector<int64_t> steps = computeStrides(value.getType().getShape());
  return collectElements(type, value, [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [k, range, step] : llvm::zip_equal(index, ranges, steps))
      position += (range.start + k * range.step) * step;
    return ElementPlace{0, position};
  });
}

OpFoldResult DynamicSliceOp::fold(FoldAdaptor adaptor) {
  // Inference reports what is wrong with the positions; folding is silent.
  auto ranges = getSliceRanges(*this, [] { return InFlightDiagnostic(); });
  if (failed(ranges) || !getType().hasStaticShape() ||
      !llvm::equal(getType().getShape(),
                   llvm::map_range(*ranges, [](const SliceRange &range) {
                     return range.size;
                   })))
    return {};
  bool whole = llvm::all_of(*ranges, [](const SliceRange &range) {
    return range.start == 0 && range.step == 1;
  });
  if (whole && keepsShape(getInput(), getType()))
    return getInput();
  auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getInput());
  return value ? sliceElements(value, getType(), *ranges) : Attribute();
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  if (getNumResults() == 1 && keepsShape(getInput(), getResultType(*this))) {
    results.push_back(getInput());
    return success();
  }
  auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getInput());
  if (!value)
    return failure();
  SmallVector<SliceRange> ranges(value.getType().getRank(), {0, 0, 1});
  for (Value result : getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    int64_t &start = ranges[getDim()].start;
    if (!type.hasStaticShape() || start + type.getDimSize(getDim()) >
                                      value.getType().getDimSize(getDim()))
      return failure();
    Attribute part = sliceElements(value, type, ranges);
    if (!part)
      return failure();
    results.push_back(part);
    start += type.getDimSize(getDim());
  }
  return success();
}

OpFoldResult GatherNdOp::fold(FoldAdaptor adaptor) {
  auto values = getConstants({adaptor.getData(), adaptor.getIndices()});
  if (!values || !isFoldable(getType()))
    return {};
  DenseElementsAttr data = values->front(), indices = values->back();
  ArrayRef<int64_t> shape = data.getType().getShape();
  ArrayRef<int64_t> indexShape = indices.getType().getShape();
  int64_t batch = getBatchDims(), depth = indexShape.back();
  int64_t places = indexShape.size() - 1;
  SmallVector<int64_t> steps = computeStrides(shape);
  SmallVector<int64_t> indexSteps = computeStrides(indexShape);
  auto begin = indices.value_begin<APInt>();
  bool inRange = true;
  Attribute result =
      collectElements(getType(), data, [&](ArrayRef<int64_t> index) {
        int64_t row = 0, position = 0;
        for (int64_t k = 0; k < places; ++k)
          row += index[k] * indexSteps[k];
        for (int64_t k = 0; k < batch; ++k)
          position += index[k] * steps[k];
        for (int64_t k = 0; k < depth; ++k) {
          int64_t size = shape[batch + k];
          int64_t place = (*(begin + (row + k))).getSExtValue();
          inRange &= place >= -size && place < size;
          position += (place < 0 ? place + size : place) * steps[batch + k];
        }
        for (size_t k = batch + depth; k < shape.size(); ++k)
          position += index[places + k - batch - depth] * steps[k];
        return ElementPlace{0, inRange ? position : 0};
      });
  return inRange ? result : Attribute();
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

OpFoldResult CumSumOp::fold(FoldAdaptor adaptor) {
  auto value = dyn_cast_if_present<DenseIntElementsAttr>(adaptor.getInput());
  if (!value || !isFoldable(getType()))
    return {};
  int64_t dim = getDim(), size = getType().getDimSize(dim);
  int64_t step = computeStrides(getType().getShape())[dim];
  SmallVector<APInt> inputs(value.value_begin<APInt>(),
                            value.value_end<APInt>());
  SmallVector<APInt> sums = inputs;
  int64_t position = 0;
  forEachIndex(getType().getShape(), [&](ArrayRef<int64_t> index) {
    // Each line along `dim` is added up when its first element comes.
    int64_t first = position++;
    if (index[dim] != 0)
      return;
    APInt sum = APInt::getZero(getType().getElementTypeBitWidth());
    for (int64_t k = 0; k < size; ++k) {
      int64_t place = first + (getReverse() ? size - 1 - k : k) * step;
      if (!getExclusive())
        sum += inputs[place];
      sums[place] = sum;
      if (getExclusive())
        sum += inputs[place];
    }
  });
  return DenseElementsAttr::get(getType(), sums);
}

OpFoldResult ReduceProdOp::fold(FoldAdaptor adaptor) {
  if (getDims().empty())
    return getInput();
  return reduceIntegers(adaptor.getInput(), getType(), getDims(), getKeepDims(),
                        APInt(getType().getElementTypeBitWidth(), 1),
                        [](const APInt &x, const APInt &y) { return x * y; });
}
