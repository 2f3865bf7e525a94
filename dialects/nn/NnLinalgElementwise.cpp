// Scalar bodies of elementwise operations, and the loop nest around one.

#include "dialects/nn/NnLinalg.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace dsc::nn;

FailureOr<SmallVector<Value>> dsc::nn::lowerElementwise(Operation *op,
                                                        OpBuilder &builder,
                                                        ValueRange operands) {
  LinalgBuilder b(builder, op->getLoc());
  auto elementwise = cast<ElementwiseOpInterface>(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value init = b.createEmpty(b.getSizes(operands[0]), type.getElementType());
  SmallVector<AffineMap> maps(operands.size() + 1,
                              b.getIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  return b.createGeneric(
      operands, init, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange elements) {
        return SmallVector<Value>{
            elementwise.buildScalar(builder, loc, elements.drop_back())};
      });
}

static bool isFloat(Value scalar) { return isa<FloatType>(scalar.getType()); }

static Value createConstant(OpBuilder &b, Location loc, Type type,
                            double value) {
  if (isa<FloatType>(type))
    return arith::ConstantOp::create(b, loc, FloatAttr::get(type, value));
  return arith::ConstantOp::create(
      b, loc, IntegerAttr::get(type, static_cast<int64_t>(value)));
}

/// The operation for floats or the one for integers.
template <typename FloatOp, typename IntegerOp>
static Value createNumeric(OpBuilder &b, Location loc, ValueRange x) {
  if (isFloat(x[0]))
    return FloatOp::create(b, loc, x[0], x[1], kContract);
  return IntegerOp::create(b, loc, x[0], x[1]);
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

Value NegOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  if (isFloat(x[0]))
    return arith::NegFOp::create(b, loc, x[0], kContract);
  Value zero = createConstant(b, loc, x[0].getType(), 0);
  return arith::SubIOp::create(b, loc, zero, x[0]);
}

Value AbsOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  if (isFloat(x[0]))
    return math::AbsFOp::create(b, loc, x[0], kContract);
  return math::AbsIOp::create(b, loc, x[0]);
}

Value ExpOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return math::ExpOp::create(b, loc, x[0], kContract);
}

Value LogOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return math::LogOp::create(b, loc, x[0], kContract);
}

Value SqrtOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return math::SqrtOp::create(b, loc, x[0], kContract);
}

Value ReciprocalOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  Value one = createConstant(b, loc, x[0].getType(), 1);
  return arith::DivFOp::create(b, loc, one, x[0], kContract);
}

Value TanhOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return math::TanhOp::create(b, loc, x[0], kContract);
}

Value ErfOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return math::ErfOp::create(b, loc, x[0], kContract);
}

// With z = exp(-|x|): 1 / (1 + z), or z / (1 + z) below 0, where 1 + exp(-x)
// would overflow long before the result is 0.
Value SigmoidOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  Type type = x[0].getType();
  Value zero = createConstant(b, loc, type, 0);
  Value one = createConstant(b, loc, type, 1);
  Value magnitude = math::AbsFOp::create(b, loc, x[0], kContract);
  Value negated = arith::NegFOp::create(b, loc, magnitude, kContract);
  Value power = math::ExpOp::create(b, loc, negated, kContract);
  Value isNegative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                           x[0], zero, kContract);
  Value dividend = arith::SelectOp::create(b, loc, isNegative, power, one);
  Value divisor = arith::AddFOp::create(b, loc, one, power, kContract);
  return arith::DivFOp::create(b, loc, dividend, divisor, kContract);
}

Value ReluOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  // Unordered, so that NaN stays.
  Value zero = createConstant(b, loc, x[0].getType(), 0);
  Value kept = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT, x[0],
                                     zero, kContract);
  return arith::SelectOp::create(b, loc, kept, x[0], zero);
}

Value CosOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return math::CosOp::create(b, loc, x[0], kContract);
}

Value SinOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return math::SinOp::create(b, loc, x[0], kContract);
}

Value NotOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  Value one = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  return arith::XOrIOp::create(b, loc, x[0], one);
}

//===----------------------------------------------------------------------===//
// Gelu
//===----------------------------------------------------------------------===//

namespace {

/// Writes gelu of a scalar x as x * share(x), where the share goes from 0 to 1.
class GeluBuilder {
public:
  GeluBuilder(OpBuilder &b, Location loc, Type type,
              GeluApproximation approximate)
      : b(b), loc(loc), type(type), approximate(approximate) {}

  /// Beyond 40 the share is 0 or 1 to the last bit, and its slope is 0, in
  /// f64 too. To stay within it keeps 0 * inf = NaN away.
  Value clampBelow(Value x) {
    return arith::MaximumFOp::create(b, loc, x, constant(-kLimit), kContract);
  }
  Value clampAbove(Value x) {
    return arith::MinimumFOp::create(b, loc, x, constant(kLimit), kContract);
  }

  Value buildShare(Value x) {
    Value step =
        approximate == GeluApproximation::none
            ? math::ErfOp::create(
                  b, loc, mul(x, constant(1 / std::numbers::sqrt2)), kContract)
                  .getResult()
            : buildTanh(x);
    return mul(constant(0.5), add(constant(1), step));
  }

  /// The derivative of the share.
  Value buildSlope(Value x) {
    if (approximate == GeluApproximation::none) {
      // exp(-x^2 / 2) / sqrt(2 * pi)
      Value exponent = mul(mul(x, x), constant(-0.5));
      Value power = math::ExpOp::create(b, loc, exponent, kContract);
      return mul(power, constant(0.5 * kFactor));
    }
    // (1 - t^2) / 2 * d/dx of tanh's operand
    Value t = buildTanh(x);
    Value derivative =
        add(constant(kFactor), mul(mul(x, x), constant(3 * kFactor * kCubic)));
    Value rest = arith::SubFOp::create(
        b, loc, constant(0.5), mul(mul(t, t), constant(0.5)), kContract);
    return mul(rest, derivative);
  }

  Value add(Value x, Value y) {
    return arith::AddFOp::create(b, loc, x, y, kContract);
  }
  Value mul(Value x, Value y) {
    return arith::MulFOp::create(b, loc, x, y, kContract);
  }

private:
  static constexpr double kLimit = 40.0;
  static constexpr double kCubic = 0.044715;
  /// sqrt(2 / pi)
  static constexpr double kFactor =
      std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

  Value constant(double value) { return createConstant(b, loc, type, value); }

  Value buildTanh(Value x) {
    Value cube = mul(mul(x, x), x);
    Value inner = mul(constant(kFactor), add(x, mul(constant(kCubic), cube)));
    return math::TanhOp::create(b, loc, inner, kContract);
  }

  OpBuilder &b;
  Location loc;
  Type type;
  GeluApproximation approximate;
};

} // namespace

Value GeluOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  GeluBuilder gelu(b, loc, x[0].getType(), getApproximate());
  Value clamped = gelu.clampBelow(x[0]);
  return gelu.mul(clamped, gelu.buildShare(clamped));
}

// g * (share + x * slope)
Value GeluGradOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  GeluBuilder gelu(b, loc, x[0].getType(), getApproximate());
  Value clamped = gelu.clampAbove(gelu.clampBelow(x[1]));
  Value derivative = gelu.add(gelu.buildShare(clamped),
                              gelu.mul(clamped, gelu.buildSlope(clamped)));
  return gelu.mul(x[0], derivative);
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

Value AddOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return createNumeric<arith::AddFOp, arith::AddIOp>(b, loc, x);
}

Value SubOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return createNumeric<arith::SubFOp, arith::SubIOp>(b, loc, x);
}

Value MulOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return createNumeric<arith::MulFOp, arith::MulIOp>(b, loc, x);
}

Value DivOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  if (isFloat(x[0]))
    return arith::DivFOp::create(b, loc, x[0], x[1], kContract);
  // Division by 0, and of the least integer by -1, trap on some machines.
  Type type = x[0].getType();
  Value zero = createConstant(b, loc, type, 0);
  Value one = createConstant(b, loc, type, 1);
  Value minusOne = createConstant(b, loc, type, -1);
  Value byZero =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x[1], zero);
  Value byMinusOne =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x[1], minusOne);
  Value special = arith::OrIOp::create(b, loc, byZero, byMinusOne);
  Value divisor = arith::SelectOp::create(b, loc, special, one, x[1]);
  Value quotient = arith::DivSIOp::create(b, loc, x[0], divisor);
  Value negated = arith::SubIOp::create(b, loc, zero, x[0]);
  quotient = arith::SelectOp::create(b, loc, byMinusOne, negated, quotient);
  return arith::SelectOp::create(b, loc, byZero, zero, quotient);
}

Value MaxOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return createNumeric<arith::MaximumFOp, arith::MaxSIOp>(b, loc, x);
}

Value MinOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return createNumeric<arith::MinimumFOp, arith::MinSIOp>(b, loc, x);
}

Value PowOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return math::PowFOp::create(b, loc, x[0], x[1], kContract);
}

Value AndOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return arith::AndIOp::create(b, loc, x[0], x[1]);
}

Value OrOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return arith::OrIOp::create(b, loc, x[0], x[1]);
}

//===----------------------------------------------------------------------===//
// With another result type
//===----------------------------------------------------------------------===//

static arith::CmpFPredicate getFloatPredicate(ComparePredicate predicate) {
  switch (predicate) {
  case ComparePredicate::eq:
    return arith::CmpFPredicate::OEQ;
  case ComparePredicate::ne:
    return arith::CmpFPredicate::UNE;
  case ComparePredicate::lt:
    return arith::CmpFPredicate::OLT;
  case ComparePredicate::le:
    return arith::CmpFPredicate::OLE;
  case ComparePredicate::gt:
    return arith::CmpFPredicate::OGT;
  case ComparePredicate::ge:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("all predicates are handled above");
}

static arith::CmpIPredicate getIntegerPredicate(ComparePredicate predicate,
                                                bool isSigned) {
  switch (predicate) {
  case ComparePredicate::eq:
    return arith::CmpIPredicate::eq;
  case ComparePredicate::ne:
    return arith::CmpIPredicate::ne;
  case ComparePredicate::lt:
    return isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  case ComparePredicate::le:
    return isSigned ? arith::CmpIPredicate::sle : arith::CmpIPredicate::ule;
  case ComparePredicate::gt:
    return isSigned ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::ugt;
  case ComparePredicate::ge:
    return isSigned ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge;
  }
  llvm_unreachable("all predicates are handled above");
}

Value CompareOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  if (isFloat(x[0]))
    return arith::CmpFOp::create(b, loc, getFloatPredicate(getPredicate()),
                                 x[0], x[1], kContract);
  bool isSigned = !x[0].getType().isInteger(1);
  return arith::CmpIOp::create(
      b, loc, getIntegerPredicate(getPredicate(), isSigned), x[0], x[1]);
}

Value IsFiniteOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  Value infinity = createConstant(b, loc, x[0].getType(),
                                  std::numeric_limits<double>::infinity());
  Value magnitude = math::AbsFOp::create(b, loc, x[0], kContract);
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, magnitude,
                               infinity, kContract);
}

Value SelectOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  return arith::SelectOp::create(b, loc, x[0], x[1], x[2]);
}

Value CastOp::buildScalar(OpBuilder &b, Location loc, ValueRange x) {
  Type from = x[0].getType(), to = getType().getElementType();
  if (from == to)
    return x[0];
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = to.getIntOrFloatBitWidth();
  if (to.isInteger(1)) {
    Value zero = createConstant(b, loc, from, 0);
    if (isFloat(x[0]))
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, x[0],
                                   zero, kContract);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x[0], zero);
  }
  if (isFloat(x[0])) {
    if (isa<IntegerType>(to))
      return arith::FPToSIOp::create(b, loc, to, x[0]);
    if (fromBits < toBits)
      return arith::ExtFOp::create(b, loc, to, x[0]);
    return arith::TruncFOp::create(b, loc, to, x[0]);
  }
  if (isa<FloatType>(to)) {
    if (fromBits == 1)
      return arith::UIToFPOp::create(b, loc, to, x[0]);
    return arith::SIToFPOp::create(b, loc, to, x[0]);
  }
  if (fromBits == 1)
    return arith::ExtUIOp::create(b, loc, to, x[0]);
  if (fromBits < toBits)
    return arith::ExtSIOp::create(b, loc, to, x[0]);
  return arith::TruncIOp::create(b, loc, to, x[0]);
}
