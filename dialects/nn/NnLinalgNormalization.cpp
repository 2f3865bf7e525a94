// Lowering of layer normalization and of softmax with its divisor: linalg
// operations whose loops are (row, column) or (row), as in NnLinalgRow.cpp.

#include "dialects/nn/NnLinalgRowBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace dsc::nn;

namespace {

/// Arithmetic on scalars in the body of a loop.
class ScalarBuilder {
public:
  ScalarBuilder(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value add(Value x, Value y) { return create<arith::AddFOp>(x, y, kContract); }
  Value sub(Value x, Value y) { return create<arith::SubFOp>(x, y, kContract); }
  Value mul(Value x, Value y) { return create<arith::MulFOp>(x, y, kContract); }
  Value div(Value x, Value y) { return create<arith::DivFOp>(x, y, kContract); }
  Value max(Value x, Value y) {
    return create<arith::MaximumFOp>(x, y, kContract);
  }
  Value select(Value condition, Value x, Value y) {
    return create<arith::SelectOp>(condition, x, y);
  }
  Value isEqual(Value x, Value y) {
    return create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, y, kContract);
  }
  /// One more term of a sum along the row.
  Value accumulate(Value term, Value sum) {
    return create<arith::AddFOp>(term, sum, kReassociate);
  }
  /// A constant of the type of `like`.
  Value constant(Value like, double value) {
    return create<arith::ConstantOp>(FloatAttr::get(like.getType(), value));
  }
  template <typename OpTy, typename... Args> Value create(Args &&...args) {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }

private:
  OpBuilder &b;
  Location loc;
};

} // namespace

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> SoftmaxLseOp::lowerToLinalg(OpBuilder &builder,
                                                          ValueRange operands) {
  int64_t dim = getInput().getType().getRank() - 1;
  double infinity = std::numeric_limits<double>::infinity();
  RowBuilder b(builder, getLoc(), operands[0], dim);
  Type type = b.getElementType();
  // In a row of -inf alone nothing may be subtracted: -inf - -inf is NaN.
  Value shift = b.mapRows(
      {}, b.reduceMax(), type,
      [&](OpBuilder &builder, Location loc, ValueRange x) {
        ScalarBuilder s(builder, loc);
        Value isEmpty = s.isEqual(x[0], s.constant(x[0], -infinity));
        return SmallVector<Value>{s.select(isEmpty, s.constant(x[0], 0), x[0])};
      })[0];
  Value powers = b.mapExponentials(shift);
  RowBuilder kept(builder, getLoc(), powers, dim);
  SmallVector<Value> row = kept.mapRows(
      {}, {kept.reduceSum(), shift}, {type, type},
      [](OpBuilder &builder, Location loc, ValueRange x) {
        ScalarBuilder s(builder, loc);
        Value zero = s.constant(x[0], 0), one = s.constant(x[0], 1);
        Value factor = s.select(s.isEqual(x[0], zero), zero, s.div(one, x[0]));
        Value logarithm = s.create<math::LogOp>(x[0], kContract);
        return SmallVector<Value>{factor, s.add(x[1], logarithm)};
      });
  Value result = kept.mapElements(
      row[0], [](OpBuilder &builder, Location loc, ValueRange x) {
        return SmallVector<Value>{ScalarBuilder(builder, loc).mul(x[0], x[1])};
      })[0];
  return SmallVector<Value>{result, row[1]};
}

//===----------------------------------------------------------------------===//
// Layer normalization
//===----------------------------------------------------------------------===//

/// The number of elements in a row of an operation in normal form, or failure.
static FailureOr<int64_t> getRowSize(Operation *op, RankedTensorType input,
                                     RankedTensorType scale) {
  if (scale.getRank() != 1)
    return op->emitOpError("cannot be lowered while rows have ")
           << scale.getRank() << " dimensions";
  if (input.isDynamicDim(input.getRank() - 1))
    return op->emitOpError("cannot be lowered with rows of `?` elements");
  return input.getShape().back();
}

FailureOr<SmallVector<Value>> LayerNormOp::lowerToLinalg(OpBuilder &builder,
                                                         ValueRange operands) {
  RankedTensorType input = getInput().getType();
  FailureOr<int64_t> count = getRowSize(*this, input, getScale().getType());
  if (failed(count))
    return failure();
  RowBuilder b(builder, getLoc(), operands[0], input.getRank() - 1);
  Type type = b.getElementType();
  Value mean = b.mapRows({}, b.reduceSum(), type,
                         [&](OpBuilder &builder, Location loc, ValueRange x) {
                           ScalarBuilder s(builder, loc);
                           return SmallVector<Value>{
                               s.div(x[0], s.constant(x[0], *count))};
                         })[0];
  // The sum of deviations would be 0 if the mean had not been rounded.
  SmallVector<Value> sums =
      b.reduceRows(mean, {b.getFloat(0), b.getFloat(0)},
                   [](OpBuilder &builder, Location loc, ValueRange x) {
                     ScalarBuilder s(builder, loc);
                     Value deviation = s.sub(x[0], x[1]);
                     return SmallVector<Value>{
                         s.accumulate(s.mul(deviation, deviation), x[2]),
                         s.accumulate(deviation, x[3])};
                   });
  // What rounding took from the mean, the mean as far as one number holds it,
  // and rstd.
  SmallVector<Value> row = b.mapRows(
      {}, {sums[0], sums[1], mean}, {type, type, type},
      [&](OpBuilder &builder, Location loc, ValueRange x) {
        ScalarBuilder s(builder, loc);
        Value size = s.constant(x[0], *count);
        Value rest = s.div(x[1], size);
        Value squares = s.sub(x[0], s.mul(x[1], rest));
        // By rounding it may fall below 0 where all elements are equal.
        Value variance = s.div(s.max(squares, s.constant(x[0], 0)), size);
        Value epsilon = s.constant(x[0], getEpsilon().convertToDouble());
        Value root =
            s.create<math::SqrtOp>(s.add(variance, epsilon), kContract);
        return SmallVector<Value>{rest, s.add(x[2], rest),
                                  s.div(s.constant(x[0], 1), root)};
      });
  // scale and bias are read along the row
  Value result = b.mapElements(
      {mean, row[0], row[2]},
      [&](OpBuilder &builder, Location loc, ValueRange x) {
        ScalarBuilder s(builder, loc);
        Value centred = s.sub(s.sub(x[0], x[1]), x[2]);
        Value scaled = s.mul(s.mul(centred, x[3]), x[4]);
        return SmallVector<Value>{getBias() ? s.add(scaled, x[5]) : scaled};
      },
      /*elements=*/{}, operands.drop_front())[0];
  return SmallVector<Value>{result, row[1], row[2]};
}

FailureOr<SmallVector<Value>>
LayerNormGradOp::lowerToLinalg(OpBuilder &builder, ValueRange operands) {
  RankedTensorType input = getInput().getType();
  FailureOr<int64_t> count = getRowSize(*this, input, getScale().getType());
  if (failed(count))
    return failure();
  Value g = operands[0], scale = operands[2], mean = operands[3],
        rstd = operands[4];
  RowBuilder b(builder, getLoc(), operands[1], input.getRank() - 1);
  Type type = b.getElementType();
  TypedAttr zero = b.getFloat(0);
  // With d = x - mean and h = g * scale: the sums of d, h and d * h. That of d
  // is what rounding took from the mean.
  SmallVector<Value> sums = b.reduceRows(
      mean, {zero, zero, zero},
      [](OpBuilder &builder, Location loc, ValueRange x) {
        ScalarBuilder s(builder, loc);
        Value d = s.sub(x[0], x[1]), h = s.mul(x[2], x[3]);
        return SmallVector<Value>{s.accumulate(d, x[4]), s.accumulate(h, x[5]),
                                  s.accumulate(s.mul(d, h), x[6])};
      },
      g, scale);
  // The means of d, h and xhat * h.
  SmallVector<Value> row =
      b.mapRows({}, {sums[0], sums[1], sums[2], rstd}, {type, type, type},
                [&](OpBuilder &builder, Location loc, ValueRange x) {
                  ScalarBuilder s(builder, loc);
                  Value size = s.constant(x[0], *count);
                  Value rest = s.div(x[0], size);
                  Value products = s.sub(x[2], s.mul(rest, x[1]));
                  return SmallVector<Value>{rest, s.div(x[1], size),
                                            s.mul(s.div(products, size), x[3])};
                });
  return b.mapElements(
      {mean, row[0], rstd, row[1], row[2]},
      [](OpBuilder &builder, Location loc, ValueRange x) {
        ScalarBuilder s(builder, loc);
        Value normalized = s.mul(s.sub(s.sub(x[0], x[1]), x[2]), x[3]);
        Value h = s.mul(x[6], x[7]);
        Value projected = s.sub(s.sub(h, x[4]), s.mul(normalized, x[5]));
        return SmallVector<Value>{s.mul(x[3], projected)};
      },
      g, scale);
}
