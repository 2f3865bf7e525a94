// Polynomials for f32 functions. Coefficients are minimax in relative error
// (Lawson's iteration), rounded to f32; docs/numerics.md states the largest
// errors, which test/e2e/ops/test_approximations.py measures. There are no
// branches or tables, so loops vectorise, and no fast-math flags, so every
// machine computes the same bits.

#include "codegen/kernel/Kernel.h"
#include "codegen/kernel/Passes.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <limits>

namespace dsc {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "codegen/kernel/Passes.h.inc"
} // namespace dsc

using namespace mlir;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// ln 2 in two parts: multiples of the first by small integers are exact.
constexpr float kLn2High = 0x1.62e400p-1f;
constexpr float kLn2Low = 0x1.7f7d1cp-20f;
constexpr float kInverseLn2 = 0x1.715476p0f;

/// Writes the functions for one operand. Comparisons are written so that NaN
/// takes the way that gives NaN.
class FunctionBuilder {
public:
  FunctionBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value exp(Value x);
  Value tanh(Value x);
  Value erf(Value x);
  Value log(Value x);
  Value sin(Value x);
  Value cos(Value x) { return turn(x, 1); }

private:
  /// The integer nearest to x * factor, as a float and as an i32.
  struct Nearest {
    Value n, integer;
  };
  Nearest round(Value x, float factor);
  /// The r of x = n * ln 2 + r.
  Value reduce(Value x, Value n);
  /// exp(r) - 1 for |r| <= ln 2 / 2.
  Value expm1(Value r, ArrayRef<float> coefficients);
  /// sin(x + quarters * pi / 2).
  Value turn(Value x, uint32_t quarters);

  Value constant(float value) {
    return create<arith::ConstantOp>(b.getF32FloatAttr(value));
  }
  Value integer(uint32_t value) {
    return create<arith::ConstantOp>(
        b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value toBits(Value x) { return create<arith::BitcastOp>(b.getI32Type(), x); }
  Value fromBits(Value x) {
    return create<arith::BitcastOp>(b.getF32Type(), x);
  }
  /// 2^n for -127 < n < 128.
  Value power(Value n) {
    Value biased = create<arith::AddIOp>(n, integer(127));
    return fromBits(create<arith::ShLIOp>(biased, integer(23)));
  }
  Value fma(Value x, Value y, Value z) { return create<math::FmaOp>(x, y, z); }
  /// Horner's rule, with the coefficient of the highest power first.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value sum = constant(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }
  Value less(Value x, float bound) {
    return create<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, constant(bound));
  }
  Value select(Value condition, Value x, Value y) {
    return create<arith::SelectOp>(condition, x, y);
  }
  Value atLeast(Value x, float bound) {
    return select(less(x, bound), constant(bound), x);
  }
  Value atMost(Value x, float bound) {
    Value above =
        create<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, constant(bound));
    return select(above, constant(bound), x);
  }
  Value withSignOf(Value magnitude, Value x) {
    return create<math::CopySignOp>(magnitude, x);
  }
  template <typename OpTy, typename... Args> Value create(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }

  OpBuilder &b;
  Location loc;
};

} // namespace

FunctionBuilder::Nearest FunctionBuilder::round(Value x, float factor) {
  // Adding 1.5 * 2^23 leaves the nearest integer in the low bits.
  Value shifter = constant(0x1.8p23f);
  Value shifted = fma(x, constant(factor), shifter);
  Value n = create<arith::SubFOp>(shifted, shifter);
  return {n, create<arith::SubIOp>(toBits(shifted), toBits(shifter))};
}

Value FunctionBuilder::reduce(Value x, Value n) {
  return fma(n, constant(-kLn2Low), fma(n, constant(-kLn2High), x));
}

Value FunctionBuilder::expm1(Value r, ArrayRef<float> coefficients) {
  Value square = create<arith::MulFOp>(polynomial(r, coefficients), r);
  return fma(square, r, r);
}

/// 2^n * exp(r). The power comes in two factors, so that n may leave the range
/// of exponents on either side: the second product rounds to a subnormal number
/// or to infinity.
Value FunctionBuilder::exp(Value x) {
  Value clamped = atMost(atLeast(x, -104.0f), 89.0f);
  Nearest power2 = round(clamped, kInverseLn2);
  Value p = expm1(reduce(clamped, power2.n),
                  {0x1.a1b8c4p-13f, 0x1.6d9736p-10f, 0x1.11107cp-7f,
                   0x1.55548p-5f, 0x1.555556p-3f, 0x1p-1f});
  p = create<arith::AddFOp>(p, constant(1));
  Value half = create<arith::ShRSIOp>(power2.integer, integer(1));
  Value rest = create<arith::SubIOp>(power2.integer, half);
  p = create<arith::MulFOp>(p, power(half));
  return create<arith::MulFOp>(p, power(rest));
}

/// With e = exp(2 |x|) - 1 it is e / (e + 2), which is 1 from 9.1 on.
Value FunctionBuilder::tanh(Value x) {
  Value magnitude = atMost(create<math::AbsFOp>(x), 9.1f);
  Value twice = create<arith::AddFOp>(magnitude, magnitude);
  Nearest power2 = round(twice, kInverseLn2);
  Value p = expm1(reduce(twice, power2.n),
                  {0x1.a1a218p-13f, 0x1.6d7528p-10f, 0x1.11109p-7f,
                   0x1.5554aep-5f, 0x1.555556p-3f, 0x1p-1f});
  Value scale = power(power2.integer);
  Value e = fma(p, scale, create<arith::SubFOp>(scale, constant(1)));
  Value divisor = create<arith::AddFOp>(e, constant(2));
  return withSignOf(create<arith::DivFOp>(e, divisor), x);
}

/// Below 1 a polynomial in x^2, above 1 - exp(of a polynomial in |x|), which is
/// 1 from 4 on.
Value FunctionBuilder::erf(Value x) {
  Value magnitude = create<math::AbsFOp>(x);
  Value square = create<arith::MulFOp>(x, x);
  Value low = polynomial(
      square, {0x1.496a3p-14f, -0x1.a3f7p-11f, 0x1.5405b2p-8f, -0x1.b7f90ep-6f,
               0x1.ce2cf8p-4f, -0x1.81273ep-2f, 0x1.06eba8p-3f});
  low = fma(low, x, x);
  Value t = atMost(magnitude, 4.0f);
  Value logarithm = polynomial(
      t, {-0x1.d47f2p-17f, 0x1.6f9eeap-12f, -0x1.ec7fcap-9f, 0x1.896178p-6f,
          -0x1.b459b2p-4f, -0x1.451abap-1f, -0x1.0790ep-3f});
  logarithm = fma(logarithm, t, create<arith::NegFOp>(t));
  Value high = create<arith::SubFOp>(constant(1), exp(logarithm));
  return select(less(magnitude, 1.0f), low, withSignOf(high, x));
}

/// x = 2^n * m with m between sqrt(1/2) and sqrt(2), and n * ln 2 + log(m).
Value FunctionBuilder::log(Value x) {
  Value isSubnormal = less(x, 0x1p-126f);
  Value scaled = create<arith::MulFOp>(x, constant(0x1p23f));
  Value bits = toBits(select(isSubnormal, scaled, x));
  Value offset = create<arith::SubIOp>(bits, integer(0x3f3504f3));
  Value exponent = create<arith::ShRSIOp>(offset, integer(23));
  Value shifted = create<arith::ShLIOp>(exponent, integer(23));
  Value m = fromBits(create<arith::SubIOp>(bits, shifted));
  Value n = create<arith::SIToFPOp>(b.getF32Type(), exponent);
  n = create<arith::SubFOp>(n, select(isSubnormal, constant(23), constant(0)));

  // log(1 + f) = f - f^2 / 2 + f^3 * polynomial(f)
  Value f = create<arith::SubFOp>(m, constant(1));
  Value square = create<arith::MulFOp>(f, f);
  Value p = polynomial(f, {-0x1.38b452p-4f, 0x1.056f9ap-3f, -0x1.0d8edp-3f,
                           0x1.22d812p-3f, -0x1.547126p-3f, 0x1.99a014p-3f,
                           -0x1.00022ap-2f, 0x1.555554p-2f});
  p = fma(p, create<arith::MulFOp>(square, f),
          create<arith::MulFOp>(n, constant(kLn2Low)));
  p = fma(square, constant(-0.5f), p);
  Value y = fma(n, constant(kLn2High), create<arith::AddFOp>(p, f));

  Value isZero =
      create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, constant(0));
  Value isFinite = less(x, kInfinity);
  Value isPositive =
      create<arith::CmpFOp>(arith::CmpFPredicate::OGE, x, constant(0));
  y = select(isZero, constant(-kInfinity), y);
  y = select(isFinite, y, x);
  return select(isPositive, y,
                constant(std::numeric_limits<float>::quiet_NaN()));
}

/// x = n * pi / 2 + r with |r| <= pi / 4, and sin or cos of r with the sign
/// that n asks for. Pi / 2 comes in three parts, which is enough for |x| up to
/// 10^5. For larger x the result is still between -1 and 1.
Value FunctionBuilder::turn(Value x, uint32_t quarters) {
  auto [n, turns] = round(x, /*2 / pi=*/0x1.45f306p-1f);
  Value quadrant = create<arith::AddIOp>(turns, integer(quarters));
  Value r = fma(n, constant(-0x1.921fbp0f), x);
  r = fma(n, constant(-0x1.5110b4p-22f), r);
  r = fma(n, constant(-0x1.84698ap-48f), r);
  r = atMost(atLeast(r, -0.8f), 0.8f);

  Value square = create<arith::MulFOp>(r, r);
  Value p =
      polynomial(square, {-0x1.994062p-13f, 0x1.11073p-7f, -0x1.555546p-3f});
  Value sine = fma(create<arith::MulFOp>(p, square), r, r);
  p = polynomial(square, {0x1.99e86ap-16f, -0x1.6c0c28p-10f, 0x1.55554ap-5f});
  Value cosine = fma(create<arith::MulFOp>(p, square), square,
                     fma(square, constant(-0.5f), constant(1)));

  Value odd = create<arith::AndIOp>(quadrant, integer(1));
  Value isOdd =
      create<arith::CmpIOp>(arith::CmpIPredicate::ne, odd, integer(0));
  Value half = create<arith::AndIOp>(quadrant, integer(2));
  Value sign = create<arith::ShLIOp>(half, integer(30));
  Value y = toBits(select(isOdd, cosine, sine));
  return fromBits(create<arith::XOrIOp>(y, sign));
}

/// With the sign of zero, which the polynomial loses.
Value FunctionBuilder::sin(Value x) {
  Value isZero =
      create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, constant(0));
  return select(isZero, x, turn(x, 0));
}

namespace {

template <typename OpTy, Value (FunctionBuilder::*build)(Value)>
struct Approximate : OpRewritePattern<OpTy> {
  // Before the patterns of upstream, which round less well.
  explicit Approximate(MLIRContext *context)
      : OpRewritePattern<OpTy>(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    FunctionBuilder builder(rewriter, op.getLoc());
    rewriter.replaceOp(op, (builder.*build)(op.getOperand()));
    return success();
  }
};

struct ApproximateMath
    : public dsc::impl::ApproximateMathPassBase<ApproximateMath> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!dsc::kernel::isKernel(function))
      return;
    RewritePatternSet patterns(&getContext());
    patterns.add<Approximate<math::ExpOp, &FunctionBuilder::exp>,
                 Approximate<math::TanhOp, &FunctionBuilder::tanh>,
                 Approximate<math::ErfOp, &FunctionBuilder::erf>,
                 Approximate<math::LogOp, &FunctionBuilder::log>,
                 Approximate<math::SinOp, &FunctionBuilder::sin>,
                 Approximate<math::CosOp, &FunctionBuilder::cos>>(
        &getContext());
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsGreedily(function, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
