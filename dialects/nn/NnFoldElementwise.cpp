// Integers are evaluated as they are, floats in double and rounded once. For +,
// -, *, / and sqrt on f32 that is the correctly rounded result, since 53 >= 2 *
// 24 + 2 bits.

#include "dialects/nn/NnFold.h"

#include "llvm/ADT/APSInt.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace dsc::nn;

/// Result element from operand elements; null if it cannot be computed.
using ScalarFold = llvm::function_ref<TypedAttr(ArrayRef<Attribute>)>;

/// Folds an elementwise operation whose operands are all constant.
static Attribute foldElements(Operation *op, ArrayRef<Attribute> operands,
                              ScalarFold fold) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<DenseElementsAttr> values;
  bool allSplat = true;
  for (Attribute operand : operands) {
    auto value = dyn_cast_if_present<DenseElementsAttr>(operand);
    if (!value)
      return {};
    allSplat &= value.isSplat();
    values.push_back(value);
  }
  if (!type.hasStaticShape() || (!allSplat && !isFoldable(type)))
    return {};
  int64_t count = type.getNumElements();
  if (count > 0 && allSplat)
    count = 1;

  SmallVector<Attribute> results;
  SmallVector<Attribute> elements(values.size());
  SmallVector<DenseElementsAttr::AttributeElementIterator> iterators;
  for (DenseElementsAttr value : values)
    iterators.push_back(value.value_begin<Attribute>());
  for (int64_t i = 0; i < count; ++i) {
    for (auto [element, iterator] : llvm::zip(elements, iterators))
      element = *iterator++;
    TypedAttr result = fold(elements);
    if (!result)
      return {};
    results.push_back(result);
  }
  return DenseElementsAttr::get(type, results);
}

/// The same for operands and a result of integers, without an attribute an
/// element: shape arithmetic may have thousands.
static Attribute foldIntegers(Operation *op, ArrayRef<Attribute> operands,
                              llvm::function_ref<APInt(ArrayRef<APInt>)> fold) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<SmallVector<DenseElementsAttr>> values = getConstants(operands);
  if (!values || !type.hasStaticShape())
    return {};
  bool allSplat = llvm::all_of(
      *values, [](DenseElementsAttr value) { return value.isSplat(); });
  if (!allSplat && !isFoldable(type))
    return {};
  int64_t count = type.getNumElements();
  if (count > 0 && allSplat)
    count = 1;
  auto iterators = llvm::map_to_vector(*values, [](DenseElementsAttr value) {
    return value.value_begin<APInt>();
  });
  SmallVector<APInt> results, elements(values->size());
  results.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    for (auto [element, iterator] : llvm::zip_equal(elements, iterators))
      element = *iterator++;
    results.push_back(fold(elements));
  }
  return DenseElementsAttr::get(type, results);
}

/// Whether the result and all operands hold integers or truth values.
static bool isIntegral(Operation *op) {
  auto holdsIntegers = [](Type type) {
    return getElementTypeOrSelf(type).isInteger();
  };
  return llvm::all_of(op->getOperandTypes(), holdsIntegers) &&
         holdsIntegers(op->getResult(0).getType());
}

static double getFloat(Attribute element) {
  return cast<FloatAttr>(element).getValueAsDouble();
}

static APInt getInteger(Attribute element) {
  return cast<IntegerAttr>(element).getValue();
}

static Attribute foldFloat(Operation *op, ArrayRef<Attribute> operands,
                           double (*fold)(double)) {
  return foldElements(op, operands, [&](ArrayRef<Attribute> x) -> TypedAttr {
    return FloatAttr::get(cast<TypedAttr>(x[0]).getType(),
                          fold(getFloat(x[0])));
  });
}

/// Folds a binary operation of floats or, where `integers` is given, integers.
static Attribute foldNumeric(Operation *op, ArrayRef<Attribute> operands,
                             double (*floats)(double, double),
                             APInt (*integers)(const APInt &, const APInt &)) {
  if (isIntegral(op))
    return foldIntegers(
        op, operands, [&](ArrayRef<APInt> x) { return integers(x[0], x[1]); });
  return foldElements(op, operands, [&](ArrayRef<Attribute> x) -> TypedAttr {
    return FloatAttr::get(cast<TypedAttr>(x[0]).getType(),
                          floats(getFloat(x[0]), getFloat(x[1])));
  });
}

static Attribute foldLogical(Operation *op, ArrayRef<Attribute> operands,
                             bool (*fold)(bool, bool)) {
  return foldIntegers(op, operands, [&](ArrayRef<APInt> x) {
    return APInt(1, fold(x[0].isOne(), x.size() > 1 && x[1].isOne()));
  });
}

/// Whether every element of a constant is `value`.
static bool isSplatOf(Attribute operand, double value) {
  auto elements = dyn_cast_if_present<DenseElementsAttr>(operand);
  if (!elements || !elements.isSplat())
    return false;
  Attribute element = elements.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(element))
    return number.getValueAsDouble() == value;
  auto integer = dyn_cast<IntegerAttr>(element);
  if (!integer)
    return false;
  APInt bits = integer.getValue();
  return (integer.getType().isInteger(1) ? bits.getZExtValue()
                                         : bits.getSExtValue()) == value;
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<NegOp>())
    return inner.getInput();
  if (isIntegral(*this))
    return foldIntegers(*this, adaptor.getOperands(),
                        [](ArrayRef<APInt> x) { return -x[0]; });
  return foldFloat(*this, adaptor.getOperands(), [](double x) { return -x; });
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  if (isIntegral(*this))
    return foldIntegers(*this, adaptor.getOperands(),
                        [](ArrayRef<APInt> x) { return x[0].abs(); });
  return foldFloat(*this, adaptor.getOperands(), std::abs);
}

OpFoldResult ExpOp::fold(FoldAdaptor adaptor) {
  return foldFloat(*this, adaptor.getOperands(), std::exp);
}

OpFoldResult LogOp::fold(FoldAdaptor adaptor) {
  return foldFloat(*this, adaptor.getOperands(), std::log);
}

OpFoldResult SqrtOp::fold(FoldAdaptor adaptor) {
  return foldFloat(*this, adaptor.getOperands(), std::sqrt);
}

OpFoldResult ReciprocalOp::fold(FoldAdaptor adaptor) {
  return foldFloat(*this, adaptor.getOperands(),
                   [](double x) { return 1.0 / x; });
}

OpFoldResult TanhOp::fold(FoldAdaptor adaptor) {
  return foldFloat(*this, adaptor.getOperands(), std::tanh);
}

OpFoldResult ErfOp::fold(FoldAdaptor adaptor) {
  return foldFloat(*this, adaptor.getOperands(), std::erf);
}

/// x times the normal distribution's share below x; 0 at -inf, where the
/// product has no value.
static double evaluateGelu(double x) {
  x = x < -40.0 ? -40.0 : x;
  return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
}

static double evaluateGeluTanh(double x) {
  x = x < -40.0 ? -40.0 : x;
  double inner = x + 0.044715 * x * x * x;
  double factor = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  return 0.5 * x * (1.0 + std::tanh(factor * inner));
}

OpFoldResult GeluOp::fold(FoldAdaptor adaptor) {
  return foldFloat(*this, adaptor.getOperands(),
                   getApproximate() == GeluApproximation::none
                       ? evaluateGelu
                       : evaluateGeluTanh);
}

OpFoldResult SigmoidOp::fold(FoldAdaptor adaptor) {
  return foldFloat(*this, adaptor.getOperands(),
                   [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
}

OpFoldResult ReluOp::fold(FoldAdaptor adaptor) {
  return foldFloat(*this, adaptor.getOperands(),
                   [](double x) { return x <= 0.0 ? 0.0 : x; });
}

OpFoldResult CosOp::fold(FoldAdaptor adaptor) {
  return foldFloat(*this, adaptor.getOperands(), std::cos);
}

OpFoldResult SinOp::fold(FoldAdaptor adaptor) {
  return foldFloat(*this, adaptor.getOperands(), std::sin);
}

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<NotOp>())
    return inner.getInput();
  return foldLogical(*this, adaptor.getOperands(),
                     [](bool x, bool) { return !x; });
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // Not for floats: -0.0 + 0.0 is 0.0.
  if (isa<IntegerType>(getType().getElementType()) &&
      isSplatOf(adaptor.getRhs(), 0))
    return getLhs();
  return foldNumeric(
      *this, adaptor.getOperands(), [](double x, double y) { return x + y; },
      [](const APInt &x, const APInt &y) { return x + y; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 0))
    return getLhs();
  return foldNumeric(
      *this, adaptor.getOperands(), [](double x, double y) { return x - y; },
      [](const APInt &x, const APInt &y) { return x - y; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return getLhs();
  return foldNumeric(
      *this, adaptor.getOperands(), [](double x, double y) { return x * y; },
      [](const APInt &x, const APInt &y) { return x * y; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return getLhs();
  return foldNumeric(
      *this, adaptor.getOperands(), [](double x, double y) { return x / y; },
      [](const APInt &x, const APInt &y) {
        return y.isZero() ? APInt::getZero(x.getBitWidth()) : x.sdiv(y);
      });
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldNumeric(
      *this, adaptor.getOperands(),
      [](double x, double y) { return std::isnan(x) || x > y ? x : y; },
      [](const APInt &x, const APInt &y) { return x.sgt(y) ? x : y; });
}

OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  return foldNumeric(
      *this, adaptor.getOperands(),
      [](double x, double y) { return std::isnan(x) || x < y ? x : y; },
      [](const APInt &x, const APInt &y) { return x.slt(y) ? x : y; });
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return getLhs();
  return foldNumeric(*this, adaptor.getOperands(), std::pow, nullptr);
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 1))
    return getLhs();
  if (isSplatOf(adaptor.getRhs(), 0))
    return adaptor.getRhs();
  return foldLogical(*this, adaptor.getOperands(),
                     [](bool x, bool y) { return x && y; });
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getRhs(), 0))
    return getLhs();
  if (isSplatOf(adaptor.getRhs(), 1))
    return adaptor.getRhs();
  return foldLogical(*this, adaptor.getOperands(),
                     [](bool x, bool y) { return x || y; });
}

//===----------------------------------------------------------------------===//
// With another result type
//===----------------------------------------------------------------------===//

template <typename T>
static bool compare(ComparePredicate predicate, const T &x, const T &y) {
  switch (predicate) {
  case ComparePredicate::eq:
    return x == y;
  case ComparePredicate::ne:
    return x != y;
  case ComparePredicate::lt:
    return x < y;
  case ComparePredicate::le:
    return x <= y;
  case ComparePredicate::gt:
    return x > y;
  case ComparePredicate::ge:
    return x >= y;
  }
  llvm_unreachable("all predicates are handled above");
}

/// Signed, but for truth values, where false is less than true.
static int64_t getOrderedInteger(const APInt &value) {
  return value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue();
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  if (isIntegral(*this))
    return foldIntegers(*this, adaptor.getOperands(), [&](ArrayRef<APInt> x) {
      return APInt(1, compare(getPredicate(), getOrderedInteger(x[0]),
                              getOrderedInteger(x[1])));
    });
  Type truth = getType().getElementType();
  return foldElements(
      *this, adaptor.getOperands(), [&](ArrayRef<Attribute> x) -> TypedAttr {
        return IntegerAttr::get(
            truth, compare(getPredicate(), getFloat(x[0]), getFloat(x[1])));
      });
}

OpFoldResult IsFiniteOp::fold(FoldAdaptor adaptor) {
  Type truth = getType().getElementType();
  return foldElements(
      *this, adaptor.getOperands(), [&](ArrayRef<Attribute> x) -> TypedAttr {
        return IntegerAttr::get(truth, std::isfinite(getFloat(x[0])));
      });
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getOnTrue() == getOnFalse() || isSplatOf(adaptor.getCondition(), 1))
    return getOnTrue();
  if (isSplatOf(adaptor.getCondition(), 0))
    return getOnFalse();
  if (isIntegral(*this))
    return foldIntegers(*this, adaptor.getOperands(), [](ArrayRef<APInt> x) {
      return x[0].isOne() ? x[1] : x[2];
    });
  return foldElements(
      *this, adaptor.getOperands(), [](ArrayRef<Attribute> x) -> TypedAttr {
        return cast<TypedAttr>(getInteger(x[0]).isOne() ? x[1] : x[2]);
      });
}

/// One element of nn.cast from or to a float; null where the result is
/// undefined.
static TypedAttr castElement(Attribute element, Type to) {
  if (auto number = dyn_cast<FloatAttr>(element)) {
    if (isa<FloatType>(to))
      return FloatAttr::get(to, number.getValueAsDouble());
    if (to.isInteger(1))
      return IntegerAttr::get(to, number.getValueAsDouble() != 0);
    llvm::APSInt result(to.getIntOrFloatBitWidth(), /*isUnsigned=*/false);
    bool exact;
    if (number.getValue().convertToInteger(result, APFloat::rmTowardZero,
                                           &exact) == APFloat::opInvalidOp)
      return {};
    return IntegerAttr::get(to, result);
  }
  APInt integer = getInteger(element);
  bool isSigned = integer.getBitWidth() != 1;
  auto type = cast<FloatType>(to);
  APFloat result(type.getFloatSemantics());
  result.convertFromAPInt(integer, isSigned, APFloat::rmNearestTiesToEven);
  return FloatAttr::get(type, result);
}

/// One element of nn.cast between integers and truth values.
static APInt castInteger(const APInt &value, unsigned width) {
  if (width == 1)
    return APInt(1, !value.isZero());
  return value.getBitWidth() == 1 ? value.zextOrTrunc(width)
                                  : value.sextOrTrunc(width);
}

/// Whether every value of `from` survives a round trip through `through`.
static bool isLossless(Type from, Type through) {
  if (from == through || from.isInteger(1))
    return true;
  unsigned bits = from.getIntOrFloatBitWidth();
  if (isa<FloatType>(from) == isa<FloatType>(through))
    return through.getIntOrFloatBitWidth() >= bits;
  return isa<IntegerType>(from) &&
         cast<FloatType>(through).getFPMantissaWidth() >= bits;
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<CastOp>())
    if (inner.getInput().getType() == getType() &&
        isLossless(getType().getElementType(),
                   inner.getType().getElementType()))
      return inner.getInput();
  Type to = getType().getElementType();
  if (isIntegral(*this))
    return foldIntegers(*this, adaptor.getOperands(), [&](ArrayRef<APInt> x) {
      return castInteger(x[0], to.getIntOrFloatBitWidth());
    });
  return foldElements(*this, adaptor.getOperands(),
                      [&](ArrayRef<Attribute> x) -> TypedAttr {
                        return castElement(x[0], to);
                      });
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

OpFoldResult DropoutOp::fold(FoldAdaptor) {
  if (getProbability().isZero())
    return getInput();
  if (getProbability().isExactlyValue(1.0) && getType().hasStaticShape())
    return DenseElementsAttr::get(
        getType(), FloatAttr::get(getType().getElementType(), 0.0));
  return {};
}
