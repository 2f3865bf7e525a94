#include "dialects/nn/NnFold.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dsc::nn;

/// Whether the operand has the result's static shape, so that no element can
/// have moved.
static bool keepsShape(Value input, RankedTensorType result) {
  return input.getType() == result && result.hasStaticShape();
}

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

/// Whether `slice` takes exactly the elements that `pad` did not add.
static bool undoes(SliceOp slice, PadOp pad) {
  if (pad.getInput().getType() != slice.getType() ||
      slice.getOffsets() != pad.getLow())
    return false;
  return llvm::all_of(
      llvm::zip_equal(slice.getSizes(), slice.getStrides(), pad.getInterior()),
      [](auto tuple) {
        auto [size, stride, interior] = tuple;
        return size <= 1 || stride == interior + 1;
      });
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (keepsShape(getInput(), getType()))
    return getInput();
  if (auto pad = getInput().getDefiningOp<PadOp>(); pad && undoes(*this, pad))
    return pad.getInput();
  if (auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getInput())) {
    if (value.isSplat() && getType().getNumElements() > 0)
      return value.resizeSplat(getType());
    SmallVector<int64_t> steps = computeStrides(value.getType().getShape());
    return collectElements(getType(), value, [&](ArrayRef<int64_t> index) {
      int64_t position = 0;
      for (auto [k, offset, stride, step] :
           llvm::zip_equal(index, getOffsets(), getStrides(), steps))
        position += (offset + k * stride) * step;
      return ElementPlace{0, position};
    });
  }
  // Two slices in a row are one.
  if (auto inner = getInput().getDefiningOp<SliceOp>()) {
    SmallVector<int64_t> offsets, strides;
    for (auto [size, offset, stride, innerOffset, innerStride] :
         llvm::zip_equal(getSizes(), getOffsets(), getStrides(),
                         inner.getOffsets(), inner.getStrides())) {
      offsets.push_back(size == 0 ? innerOffset
                                  : innerOffset + offset * innerStride);
      strides.push_back(size <= 1 ? 1 : stride * innerStride);
    }
    getInputMutable().assign(inner.getInput());
    setOffsets(offsets);
    setStrides(strides);
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  if (keepsShape(getInput(), getType()))
    return getInput();
  auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getInput());
  if (!value)
    return {};
  ArrayRef<int64_t> shape = value.getType().getShape();
  SmallVector<int64_t> steps = computeStrides(shape);
  return collectElements(getType(), value, [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [k, low, interior, size, step] :
         llvm::zip_equal(index, getLow(), getInterior(), shape, steps)) {
      int64_t distance = k - low;
      if (distance < 0 || distance % (interior + 1) != 0 ||
          distance / (interior + 1) >= size)
        return ElementPlace{ElementPlace::kZero, 0};
      position += distance / (interior + 1) * step;
    }
    return ElementPlace{0, position};
  });
}

namespace {

/// The sum of two neighbours, each padded to the place of both, is the tensor
/// that joins them:
///   add(pad(x, behind it room for y), pad(y, before it room for x))
///   = pad(concat(x, y))
/// Slices of one tensor have such gradients.
struct MergeNeighbouringPads : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op.getLhs().getDefiningOp<PadOp>();
    auto second = op.getRhs().getDefiningOp<PadOp>();
    if (!first || !second || !first->hasOneUse() || !second->hasOneUse())
      return failure();
    std::optional<int64_t> dim = findNeighbours(first, second);
    if (!dim) {
      std::swap(first, second);
      dim = findNeighbours(first, second);
    }
    if (!dim)
      return failure();
    SmallVector<int64_t> high(first.getHigh());
    high[*dim] = second.getHigh()[*dim];
    Value joined =
        ConcatOp::create(rewriter, op.getLoc(),
                         ValueRange{first.getInput(), second.getInput()}, *dim);
    rewriter.replaceOpWithNewOp<PadOp>(op, joined, first.getLow(), high,
                                       first.getInterior());
    return success();
  }

  /// The dimension along which `second` begins where `first` ends, while both
  /// lie alike along all others.
  static std::optional<int64_t> findNeighbours(PadOp first, PadOp second) {
    auto isZero = [](int64_t x) { return x == 0; };
    RankedTensorType a = first.getInput().getType();
    RankedTensorType b = second.getInput().getType();
    if (!a.hasStaticShape() || !b.hasStaticShape() ||
        !llvm::all_of(first.getInterior(), isZero) ||
        !llvm::all_of(second.getInterior(), isZero))
      return std::nullopt;
    std::optional<int64_t> found;
    for (int64_t dim = 0; dim < a.getRank(); ++dim) {
      if (first.getLow()[dim] == second.getLow()[dim] &&
          a.getDimSize(dim) == b.getDimSize(dim))
        continue;
      if (found ||
          first.getLow()[dim] + a.getDimSize(dim) != second.getLow()[dim])
        return std::nullopt;
      found = dim;
    }
    return found;
  }
};

} // namespace

void PadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<MergeNeighbouringPads>(context);
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1 && getInputs().front().getType() == getType())
    return getInputs().front();
  auto values = getConstants(adaptor.getInputs());
  if (!values)
    return {};
  SmallVector<SmallVector<int64_t>> steps;
  SmallVector<unsigned> operands;
  SmallVector<int64_t> places;
  for (auto [operand, value] : llvm::enumerate(*values)) {
    steps.push_back(computeStrides(value.getType().getShape()));
    int64_t size = value.getType().getDimSize(getDim());
    // Which operand an index along `dim` falls into, and where there.
    if (!isFoldable(getType()))
      return {};
    operands.append(size, operand);
    llvm::append_range(places, llvm::seq<int64_t>(0, size));
  }
  return collectElements(getType(), *values, [&](ArrayRef<int64_t> index) {
    unsigned operand = operands[index[getDim()]];
    int64_t position = 0;
    for (auto [dim, k] : llvm::enumerate(index)) {
      int64_t place = dim == getDim() ? places[k] : k;
      position += place * steps[operand][dim];
    }
    return ElementPlace{operand, position};
  });
}

namespace {

/// Operands that are joined along the same dimension themselves give their own
/// operands; those without elements give none.
struct FlattenConcat : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> inputs;
    for (Value input : op.getInputs()) {
      auto inner = input.getDefiningOp<ConcatOp>();
      if (inner && inner.getDim() == op.getDim() && inner->hasOneUse())
        llvm::append_range(inputs, inner.getInputs());
      else if (cast<RankedTensorType>(input.getType())
                   .getDimSize(op.getDim()) != 0)
        inputs.push_back(input);
    }
    if (inputs.empty() || llvm::equal(inputs, op.getInputs()))
      return failure();
    rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), inputs,
                                          op.getDim());
    return success();
  }
};

} // namespace

void ConcatOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<FlattenConcat>(context);
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

/// The indices counted from the start; nothing if one is out of range.
static std::optional<SmallVector<int64_t>>
getPositions(DenseElementsAttr indices, int64_t size) {
  SmallVector<int64_t> positions;
  positions.reserve(indices.getNumElements());
  for (const APInt &value : indices.getValues<APInt>()) {
    int64_t index = value.getSExtValue();
    if (index < -size || index >= size)
      return std::nullopt;
    positions.push_back(index < 0 ? index + size : index);
  }
  return positions;
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  auto values = getConstants({adaptor.getData(), adaptor.getIndices()});
  if (!values || !isFoldable(getType()))
    return {};
  DenseElementsAttr data = values->front(), indices = values->back();
  ArrayRef<int64_t> shape = data.getType().getShape();
  int64_t dim = getDim(), rank = indices.getType().getRank();
  auto positions = getPositions(indices, shape[dim]);
  if (!positions)
    return {};
  SmallVector<int64_t> steps = computeStrides(shape);
  SmallVector<int64_t> indexSteps =
      computeStrides(indices.getType().getShape());
  return collectElements(getType(), data, [&](ArrayRef<int64_t> index) {
    int64_t place = 0, position = 0;
    for (auto [k, step] : llvm::zip_equal(index.slice(dim, rank), indexSteps))
      place += k * step;
    position = (*positions)[place] * steps[dim];
    for (int64_t k = 0; k < dim; ++k)
      position += index[k] * steps[k];
    for (size_t k = dim + 1; k < shape.size(); ++k)
      position += index[k + rank - 1] * steps[k];
    return ElementPlace{0, position};
  });
}

namespace {

/// Constant indices at even distances are a slice: its gradient is a view of
/// zeros around it, not a sum by index.
struct GatherToSlice : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType data = op.getData().getType();
    DenseIntElementsAttr indices;
    if (!data.hasStaticShape() || !op.getType().hasStaticShape() ||
        !matchPattern(op.getIndices(), m_Constant(&indices)) ||
        (indices.isSplat() && indices.getNumElements() > 1))
      return failure();
    int64_t dim = op.getDim();
    auto positions = getPositions(indices, data.getDimSize(dim));
    if (!positions || positions->empty())
      return failure();
    int64_t step =
        positions->size() > 1 ? (*positions)[1] - (*positions)[0] : 1;
    if (step < 1)
      return failure();
    for (size_t i = 1; i < positions->size(); ++i)
      if ((*positions)[i] - (*positions)[i - 1] != step)
        return failure();
    SmallVector<int64_t> offsets(data.getRank(), 0), strides(data.getRank(), 1);
    SmallVector<int64_t> sizes(data.getShape());
    offsets[dim] = positions->front();
    sizes[dim] = positions->size();
    strides[dim] = step;
    Value slice = SliceOp::create(rewriter, op.getLoc(), op.getData(), offsets,
                                  sizes, strides);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), slice);
    return success();
  }
};

} // namespace

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<GatherToSlice>(context);
}
