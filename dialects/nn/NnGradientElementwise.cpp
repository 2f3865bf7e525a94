// Gradients of elementwise operations. Below, g is the gradient of the result
// y, and dx that of an operand x. Conventions at points without a derivative
// are PyTorch's; they stand in the operations' descriptions.

#include "dialects/nn/NnGradient.h"

#include "mlir/IR/Matchers.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace dsc::nn;

using Gradients = SmallVectorImpl<Value>;

/// Sets the gradient of the only operand.
static LogicalResult setUnary(Gradients &gradients, Value gradient) {
  gradients.assign({gradient});
  return success();
}

/// Sets the gradients of both operands, each built only if it is needed.
static LogicalResult setBinary(Gradients &gradients, ArrayRef<bool> needed,
                               llvm::function_ref<Value()> buildLhs,
                               llvm::function_ref<Value()> buildRhs) {
  gradients.assign(2, Value());
  if (needed[0])
    gradients[0] = buildLhs();
  if (needed[1])
    gradients[1] = buildRhs();
  return success();
}

/// Whether a divisor is a constant (perhaps broadcast) without zeros.
static bool isNonzeroConstant(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  DenseFPElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) &&
         llvm::none_of(elements, [](const APFloat &x) { return x.isZero(); });
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

// dx = -g
LogicalResult NegOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  return setUnary(result, b.neg(gradients[0]));
}

// dx = x > 0 ? g : x < 0 ? -g : 0
LogicalResult AbsOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0], x = getInput(), zero = b.constant(x, 0);
  Value negative = b.compare(ComparePredicate::lt, x, zero);
  Value positive = b.compare(ComparePredicate::gt, x, zero);
  return setUnary(result,
                  b.select(positive, g, b.select(negative, b.neg(g), zero)));
}

// dx = g * y
LogicalResult ExpOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0];
  return setUnary(result, b.unlessZero(g, b.mul(g, getResult())));
}

// dx = g / x
LogicalResult LogOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0];
  return setUnary(result, b.unlessZero(g, b.div(g, getInput())));
}

// dx = g / 2y
LogicalResult SqrtOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                    ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0];
  Value half = b.mul(g, b.constant(g, 0.5));
  return setUnary(result, b.unlessZero(g, b.div(half, getResult())));
}

// dx = -g * y^2
LogicalResult ReciprocalOp::buildGradient(OpBuilder &builder,
                                          ValueRange gradients, ArrayRef<bool>,
                                          Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0], y = getResult();
  return setUnary(result, b.unlessZero(g, b.neg(b.mul(g, b.mul(y, y)))));
}

// dx = g * (1 - y^2)
LogicalResult TanhOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                    ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value y = getResult();
  return setUnary(result,
                  b.mul(gradients[0], b.sub(b.constant(y, 1), b.mul(y, y))));
}

// dx = g * 2 / sqrt(pi) * exp(-x^2). The factor is written in two parts: f64
// precision is chosen after gradients are built, and widens f32 constants.
LogicalResult ErfOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0], x = getInput();
  double factor = 2 * std::numbers::inv_sqrtpi;
  float high = static_cast<float>(factor);
  Value scaled = b.add(b.mul(g, b.constant(g, high)),
                       b.mul(g, b.constant(g, factor - high)));
  return setUnary(result, b.mul(scaled, b.create<ExpOp>(b.neg(b.mul(x, x)))));
}

LogicalResult GeluOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                    ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  return setUnary(
      result, b.create<GeluGradOp>(gradients[0], getInput(), getApproximate()));
}

// dx = g * y * (1 - y)
LogicalResult SigmoidOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                       ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value y = getResult();
  return setUnary(result,
                  b.mul(gradients[0], b.mul(y, b.sub(b.constant(y, 1), y))));
}

// dx = x > 0 ? g : 0
LogicalResult ReluOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                    ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  // y > 0 where x > 0, so that x need not be kept.
  Value zero = b.constant(getResult(), 0);
  Value positive = b.compare(ComparePredicate::gt, getResult(), zero);
  return setUnary(result, b.select(positive, gradients[0], zero));
}

// dx = -g * sin(x)
LogicalResult CosOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value sine = b.create<SinOp>(getInput());
  return setUnary(result, b.neg(b.mul(gradients[0], sine)));
}

// dx = g * cos(x)
LogicalResult SinOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value cosine = b.create<CosOp>(getInput());
  return setUnary(result, b.mul(gradients[0], cosine));
}

// dx = g, rounded to the operand's type
LogicalResult CastOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                    ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Type to = getInput().getType().getElementType();
  bool isFloat = isa<FloatType>(getType().getElementType());
  return setUnary(result, isFloat && isa<FloatType>(to)
                              ? b.create<CastOp>(gradients[0], to)
                              : Value());
}

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

LogicalResult AddOp::buildGradient(OpBuilder &, ValueRange gradients,
                                   ArrayRef<bool> needed, Gradients &result) {
  Value g = gradients[0];
  return setBinary(result, needed, [&] { return g; }, [&] { return g; });
}

LogicalResult SubOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool> needed, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0];
  return setBinary(result, needed, [&] { return g; }, [&] { return b.neg(g); });
}

LogicalResult MulOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool> needed, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0];
  return setBinary(
      result, needed, [&] { return b.mul(g, getRhs()); },
      [&] { return b.mul(g, getLhs()); });
}

// dlhs = g / rhs, drhs = -g * y / rhs
LogicalResult DivOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool> needed, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0];
  bool safe = isNonzeroConstant(getRhs());
  Value quotient = b.div(g, getRhs());
  if (!safe)
    quotient = b.unlessZero(g, quotient);
  auto buildRhs = [&] {
    Value value = b.neg(b.mul(quotient, getResult()));
    return safe ? value : b.unlessZero(g, value);
  };
  return setBinary(result, needed, [&] { return quotient; }, buildRhs);
}

/// Where one operand is `losing` to the other it gets 0, where both are equal
/// half, else everything.
static Value buildExtremumGradient(GradientBuilder &b, Value g, Value operand,
                                   Value other, ComparePredicate losing) {
  Value lost = b.compare(losing, operand, other);
  Value equal = b.compare(ComparePredicate::eq, operand, other);
  Value share = b.select(equal, b.mul(g, b.constant(g, 0.5)), g);
  return b.select(lost, b.constant(g, 0), share);
}

LogicalResult MaxOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool> needed, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  auto build = [&](Value operand, Value other) {
    return buildExtremumGradient(b, gradients[0], operand, other,
                                 ComparePredicate::lt);
  };
  return setBinary(
      result, needed, [&] { return build(getLhs(), getRhs()); },
      [&] { return build(getRhs(), getLhs()); });
}

LogicalResult MinOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool> needed, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  auto build = [&](Value operand, Value other) {
    return buildExtremumGradient(b, gradients[0], operand, other,
                                 ComparePredicate::gt);
  };
  return setBinary(
      result, needed, [&] { return build(getLhs(), getRhs()); },
      [&] { return build(getRhs(), getLhs()); });
}

// dlhs = g * rhs * lhs^(rhs - 1), 0 where rhs is 0
// drhs = g * y * log(lhs), 0 where lhs is 0 and rhs >= 0
LogicalResult PowOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool> needed, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0], x = getLhs(), n = getRhs(), zero = b.constant(g, 0);
  auto buildLhs = [&] {
    Value power = b.create<PowOp>(x, b.sub(n, b.constant(n, 1)));
    Value value = b.unlessZero(g, b.mul(g, b.mul(n, power)));
    if (isNonzeroConstant(n))
      return value;
    return b.select(b.compare(ComparePredicate::eq, n, zero), zero, value);
  };
  auto buildRhs = [&] {
    Value logarithm = b.create<LogOp>(x);
    Value value = b.unlessZero(g, b.mul(g, b.mul(getResult(), logarithm)));
    Value isZero = b.compare(ComparePredicate::eq, x, zero);
    Value isPositive = b.compare(ComparePredicate::ge, n, zero);
    return b.select(b.create<AndOp>(isZero, isPositive), zero, value);
  };
  return setBinary(result, needed, buildLhs, buildRhs);
}

// Selected, not multiplied by 0 or 1: the branch not taken may be infinite.
LogicalResult SelectOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                      ArrayRef<bool> needed,
                                      Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0], zero = b.constant(g, 0);
  result.assign(3, Value());
  if (needed[1])
    result[1] = b.select(getCondition(), g, zero);
  if (needed[2])
    result[2] = b.select(getCondition(), zero, g);
  return success();
}
