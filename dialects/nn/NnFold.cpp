#include "dialects/nn/NnFold.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace dsc::nn;

static bool isIdentity(ArrayRef<int64_t> dims) {
  return llvm::all_of(llvm::enumerate(dims), [](auto pair) {
    return static_cast<int64_t>(pair.index()) == pair.value();
  });
}

SmallVector<int64_t> dsc::nn::computeStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

void dsc::nn::forEachIndex(ArrayRef<int64_t> shape,
                           llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  int64_t count = ShapedType::getNumElements(shape);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(index);
    for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0;
         --dim) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

template <typename T>
static Attribute
collect(RankedTensorType type, ArrayRef<DenseElementsAttr> values, T zero,
        llvm::function_ref<ElementPlace(ArrayRef<int64_t>)> find) {
  SmallVector<T> elements;
  elements.reserve(type.getNumElements());
  auto sources = llvm::map_to_vector(
      values, [](DenseElementsAttr value) { return value.value_begin<T>(); });
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    ElementPlace place = find(index);
    elements.push_back(place.operand == ElementPlace::kZero
                           ? zero
                           : sources[place.operand][place.position]);
  });
  return DenseElementsAttr::get(type, elements);
}

Attribute dsc::nn::collectElements(
    RankedTensorType type, ArrayRef<DenseElementsAttr> values,
    llvm::function_ref<ElementPlace(ArrayRef<int64_t>)> find) {
  if (!isFoldable(type))
    return {};
  if (auto elementType = dyn_cast<FloatType>(type.getElementType()))
    return collect<APFloat>(
        type, values, APFloat::getZero(elementType.getFloatSemantics()), find);
  return collect<APInt>(type, values,
                        APInt::getZero(type.getElementTypeBitWidth()), find);
}

Attribute dsc::nn::collectIntegers(
    RankedTensorType type,
    llvm::function_ref<int64_t(ArrayRef<int64_t>)> compute) {
  SmallVector<APInt> elements;
  unsigned width = type.getElementTypeBitWidth();
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    elements.emplace_back(width, compute(index), /*isSigned=*/true);
  });
  return DenseElementsAttr::get(type, elements);
}

Attribute dsc::nn::reduceIntegers(Attribute input, RankedTensorType type,
                                  ArrayRef<int64_t> dims, bool keepDims,
                                  const APInt &identity,
                                  APInt (*combine)(const APInt &,
                                                   const APInt &)) {
  auto value = dyn_cast_if_present<DenseIntElementsAttr>(input);
  if (!value || !isFoldable(value.getType()) || !isFoldable(type))
    return {};
  // Reduced dimensions have stride 0 in the result.
  SmallVector<int64_t> resultStrides = computeStrides(type.getShape()), strides;
  size_t next = 0;
  for (int64_t dim = 0; dim < value.getType().getRank(); ++dim) {
    bool reduced = llvm::is_contained(dims, dim);
    strides.push_back(reduced ? 0 : resultStrides[next]);
    next += !reduced || keepDims;
  }
  SmallVector<APInt> results(type.getNumElements(), identity);
  auto element = value.value_begin<APInt>();
  forEachIndex(value.getType().getShape(), [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [k, stride] : llvm::zip_equal(index, strides))
      position += k * stride;
    results[position] = combine(results[position], *element++);
  });
  return DenseElementsAttr::get(type, results);
}

/// The constant of `type` whose element at index i is the element of `value` at
/// the linear position sum(i[k] * strides[k]).
static Attribute gatherElements(DenseElementsAttr value, RankedTensorType type,
                                ArrayRef<int64_t> strides) {
  if (value.isSplat() && type.hasStaticShape() && type.getNumElements() > 0)
    return value.resizeSplat(type);
  return collectElements(type, value, [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [k, stride] : llvm::zip_equal(index, strides))
      position += k * stride;
    return ElementPlace{0, position};
  });
}

Attribute dsc::nn::broadcastElements(DenseElementsAttr value,
                                     RankedTensorType type,
                                     ArrayRef<int64_t> dims) {
  ArrayRef<int64_t> shape = value.getType().getShape();
  SmallVector<int64_t> strides(type.getRank(), 0);
  SmallVector<int64_t> inputStrides = computeStrides(shape);
  for (auto [k, dim] : llvm::enumerate(dims))
    strides[dim] = shape[k] == 1 ? 0 : inputStrides[k];
  return gatherElements(value, type, strides);
}

std::optional<SmallVector<DenseElementsAttr>>
dsc::nn::getConstants(ArrayRef<Attribute> operands) {
  SmallVector<DenseElementsAttr> values;
  for (Attribute operand : operands) {
    values.push_back(dyn_cast_if_present<DenseElementsAttr>(operand));
    if (!values.back())
      return std::nullopt;
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Constant, broadcast, reshape
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType() && isIdentity(getDims()))
    return getInput();
  if (auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getInput()))
    return broadcastElements(value, getType(), getDims());
  // Two broadcasts in a row are one.
  if (auto inner = getInput().getDefiningOp<BroadcastOp>()) {
    SmallVector<int64_t> dims;
    for (int64_t dim : inner.getDims())
      dims.push_back(getDims()[dim]);
    getInputMutable().assign(inner.getInput());
    setDims(dims);
    return getResult();
  }
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  // Equal types with two `?` may still exchange the sizes.
  if (getInput().getType() == getType() && getType().getNumDynamicDims() <= 1)
    return getInput();
  if (auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getInput()))
    if (getType().hasStaticShape() &&
        (value.isSplat() || isFoldable(getType())))
      return value.reshape(getType());
  // Of two reshapes in a row only the last one counts.
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Transpose
//===----------------------------------------------------------------------===//

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(getPerm()))
    return getInput();
  if (auto value = dyn_cast_if_present<DenseElementsAttr>(adaptor.getInput())) {
    SmallVector<int64_t> inputStrides =
        computeStrides(value.getType().getShape());
    SmallVector<int64_t> strides;
    for (int64_t dim : getPerm())
      strides.push_back(inputStrides[dim]);
    return gatherElements(value, getType(), strides);
  }
  // Two transposes in a row are one.
  if (auto inner = getInput().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> perm;
    for (int64_t dim : getPerm())
      perm.push_back(inner.getPerm()[dim]);
    getInputMutable().assign(inner.getInput());
    setPerm(perm);
    return getResult();
  }
  return {};
}

namespace {

/// A transpose that moves dimensions of size 1 only moves no element.
struct TransposeToReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = op.getInput().getType();
    if (!input.hasStaticShape() || !op.getType().hasStaticShape())
      return failure();
    SmallVector<int64_t> moved;
    for (int64_t dim : op.getPerm())
      if (input.getDimSize(dim) != 1)
        moved.push_back(dim);
    if (!llvm::is_sorted(moved))
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<TransposeToReshape>(context);
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

OpFoldResult ReduceSumOp::fold(FoldAdaptor adaptor) {
  if (getDims().empty())
    return getInput();
  unsigned width = getType().getElementTypeBitWidth();
  return reduceIntegers(adaptor.getInput(), getType(), getDims(), getKeepDims(),
                        APInt::getZero(width),
                        [](const APInt &x, const APInt &y) { return x + y; });
}

OpFoldResult ReduceMaxOp::fold(FoldAdaptor adaptor) {
  if (getDims().empty())
    return getInput();
  unsigned width = getType().getElementTypeBitWidth();
  return reduceIntegers(
      adaptor.getInput(), getType(), getDims(), getKeepDims(),
      APInt::getSignedMinValue(width),
      [](const APInt &x, const APInt &y) { return x.sgt(y) ? x : y; });
}

namespace {

/// A reduction along dimensions of size 1 combines nothing.
template <typename OpTy> struct ReduceToReshape : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = op.getInput().getType();
    if (!input.hasStaticShape() ||
        !llvm::all_of(op.getDims(),
                      [&](int64_t dim) { return input.getDimSize(dim) == 1; }))
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

} // namespace

void ReduceSumOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<ReduceToReshape<ReduceSumOp>>(context);
}

void ReduceMaxOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<ReduceToReshape<ReduceMaxOp>>(context);
}

//===----------------------------------------------------------------------===//
// Pow and matmul
//===----------------------------------------------------------------------===//

namespace {

/// x^2 = x * x and x^-1 = 1 / x, which vectorise and round no worse.
struct ExpandSmallPower : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PowOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr exponent;
    if (!matchPattern(op.getRhs(), m_Constant(&exponent)) ||
        !exponent.isSplat())
      return failure();
    APFloat value = exponent.getSplatValue<APFloat>();
    if (value.isExactlyValue(2.0)) {
      rewriter.replaceOpWithNewOp<MulOp>(op, op.getLhs(), op.getLhs());
      return success();
    }
    if (value.isExactlyValue(-1.0)) {
      rewriter.replaceOpWithNewOp<ReciprocalOp>(op, op.getLhs());
      return success();
    }
    return failure();
  }
};

/// A product with a transposed operand is one with the other transpose flag.
struct FoldTransposeIntoMatmul : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  /// The operand of a transpose of the last two dimensions, or null.
  static Value getMatrixTranspose(Value value) {
    auto op = value.getDefiningOp<TransposeOp>();
    if (!op || op.getPerm().size() < 2)
      return {};
    ArrayRef<int64_t> perm = op.getPerm();
    int64_t last = perm.size() - 1;
    if (!isIdentity(perm.drop_back(2)) || perm[last - 1] != last)
      return {};
    return op.getInput();
  }

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    Value lhs = getMatrixTranspose(op.getLhs());
    Value rhs = getMatrixTranspose(op.getRhs());
    if (!lhs && !rhs)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (lhs) {
        op.getLhsMutable().assign(lhs);
        op.setTransposeA(!op.getTransposeA());
      }
      if (rhs) {
        op.getRhsMutable().assign(rhs);
        op.setTransposeB(!op.getTransposeB());
      }
    });
    return success();
  }
};

} // namespace

void PowOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<ExpandSmallPower>(context);
}

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<FoldTransposeIntoMatmul>(context);
}
