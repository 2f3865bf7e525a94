// Lowering of operations on rows: each becomes a few linalg operations whose
// loops are (row, column) or (row), so that a tile of rows holds all of them.
// Exponentials that a result is made of are kept where the result will lie, so
// that they are computed once and need no memory of their own.

#include "dialects/nn/NnLinalgRowBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace dsc::nn;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> SoftmaxOp::lowerToLinalg(OpBuilder &builder,
                                                       ValueRange operands) {
  RowBuilder b(builder, getLoc(), operands[0], getDim());
  Value powers = b.mapExponentials(b.reduceMax());
  RowBuilder kept(builder, getLoc(), powers, getDim());
  return kept.mapElements(
      kept.reduceSum(), [](OpBuilder &b, Location loc, ValueRange x) {
        return SmallVector<Value>{
            arith::DivFOp::create(b, loc, x[0], x[1], kContract)};
      });
}

FailureOr<SmallVector<Value>> LogSoftmaxOp::lowerToLinalg(OpBuilder &builder,
                                                          ValueRange operands) {
  RowBuilder b(builder, getLoc(), operands[0], getDim());
  Value max = b.reduceMax();
  Value sum = b.reduceExponentials(max);
  Value logarithm = b.mapRows(
      {}, sum, b.getElementType(),
      [](OpBuilder &b, Location loc, ValueRange x) {
        return SmallVector<Value>{math::LogOp::create(b, loc, x[0], kContract)};
      })[0];
  return b.mapElements(
      {max, logarithm}, [](OpBuilder &b, Location loc, ValueRange x) {
        Value shifted = arith::SubFOp::create(b, loc, x[0], x[1], kContract);
        return SmallVector<Value>{
            arith::SubFOp::create(b, loc, shifted, x[2], kContract)};
      });
}

//===----------------------------------------------------------------------===//
// Cross-entropy
//===----------------------------------------------------------------------===//

/// Whether the row's label is not ignored and its weight is not 0.
static Value createCounts(OpBuilder &b, Location loc, Value label, Value weight,
                          int64_t ignoreIndex) {
  Value ignored = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(label.getType(), ignoreIndex));
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(weight.getType()));
  Value valid =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, label, ignored);
  Value weighted = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                         weight, zero, kContract);
  return arith::AndIOp::create(b, loc, valid, weighted);
}

static Value createZero(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

/// Whether the present column is the label. Comparing, where one could load
/// the element, keeps the loop free of addresses that depend on data.
static Value createIsLabel(OpBuilder &b, Location loc, Value label) {
  Value column = linalg::IndexOp::create(b, loc, 1);
  Value index = arith::IndexCastOp::create(b, loc, label.getType(), column);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index, label);
}

/// The loss and the weight of each row, both 0 for rows that do not count.
static SmallVector<Value> createRowLosses(RowBuilder &b, ValueRange operands,
                                          int64_t ignoreIndex) {
  Value labels = operands[1], weights = operands[2];
  Type type = b.getElementType();
  Value max = b.reduceMax();
  // sum of exp(x - max), and x[label] - max
  SmallVector<Value> sums = b.reduceRows(
      {max, labels}, {b.getFloat(0), b.getFloat(0)},
      [](OpBuilder &b, Location loc, ValueRange x) {
        Value shifted = arith::SubFOp::create(b, loc, x[0], x[1], kContract);
        Value power = math::ExpOp::create(b, loc, shifted, kContract);
        Value picked = arith::SelectOp::create(
            b, loc, createIsLabel(b, loc, x[2]), shifted,
            createZero(b, loc, shifted.getType()));
        return SmallVector<Value>{
            arith::AddFOp::create(b, loc, power, x[3], kReassociate),
            arith::AddFOp::create(b, loc, picked, x[4], kReassociate)};
      });
  // w * (log(sum) - (x[label] - max)) and w
  return b.mapRows(
      {}, {sums[0], sums[1], labels, weights}, {type, type},
      [&](OpBuilder &b, Location loc, ValueRange x) {
        Value counts = createCounts(b, loc, x[2], x[3], ignoreIndex);
        Value logarithm = math::LogOp::create(b, loc, x[0], kContract);
        Value loss = arith::SubFOp::create(b, loc, logarithm, x[1], kContract);
        Value weighted = arith::MulFOp::create(b, loc, x[3], loss, kContract);
        Value zero = createZero(b, loc, type);
        return SmallVector<Value>{
            arith::SelectOp::create(b, loc, counts, weighted, zero),
            arith::SelectOp::create(b, loc, counts, x[3], zero)};
      });
}

FailureOr<SmallVector<Value>>
CrossEntropyOp::lowerToLinalg(OpBuilder &builder, ValueRange operands) {
  RowBuilder b(builder, getLoc(), operands[0], 1);
  return b.sumRows(createRowLosses(b, operands, getIgnoreIndex()));
}

FailureOr<SmallVector<Value>>
CrossEntropyRowsOp::lowerToLinalg(OpBuilder &builder, ValueRange operands) {
  RowBuilder b(builder, getLoc(), operands[0], 1);
  return createRowLosses(b, operands, getIgnoreIndex());
}

FailureOr<SmallVector<Value>>
CrossEntropyGradOp::lowerToLinalg(OpBuilder &builder, ValueRange operands) {
  RowBuilder b(builder, getLoc(), operands[0], 1);
  Value labels = operands[1], weights = operands[2], seed = operands[3];
  Value powers = b.mapExponentials(b.reduceMax());
  RowBuilder kept(builder, getLoc(), powers, 1);
  Value sum = kept.reduceSum();
  // seed * w, 0 for rows that do not count
  Value scale = b.mapRows(
      seed, {labels, weights}, b.getElementType(),
      [&](OpBuilder &b, Location loc, ValueRange x) {
        Value counts = createCounts(b, loc, x[1], x[2], getIgnoreIndex());
        Value scaled = arith::MulFOp::create(b, loc, x[0], x[2], kContract);
        Value zero = createZero(b, loc, scaled.getType());
        return SmallVector<Value>{
            arith::SelectOp::create(b, loc, counts, scaled, zero)};
      })[0];
  return kept.mapElements({sum, labels, scale}, [](OpBuilder &b, Location loc,
                                                   ValueRange x) {
    Value softmax = arith::DivFOp::create(b, loc, x[0], x[1], kContract);
    Value zero = createZero(b, loc, softmax.getType());
    Value one =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(softmax.getType(), 1));
    Value target =
        arith::SelectOp::create(b, loc, createIsLabel(b, loc, x[2]), one, zero);
    Value error = arith::SubFOp::create(b, loc, softmax, target, kContract);
    Value gradient = arith::MulFOp::create(b, loc, x[3], error, kContract);
    // Not left to the product: the logits of such a row may be infinite.
    Value counts = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                         x[3], zero, kContract);
    return SmallVector<Value>{
        arith::SelectOp::create(b, loc, counts, gradient, zero)};
  });
}

FailureOr<SmallVector<Value>>
CountCorrectOp::lowerToLinalg(OpBuilder &builder, ValueRange operands) {
  RowBuilder b(builder, getLoc(), operands[0], 1);
  Value labels = operands[1], weights = operands[2];
  Type f64 = builder.getF64Type(), i64 = builder.getI64Type();
  Value max = b.reduceMax();
  // The first column with the largest element; none if it is NaN.
  TypedAttr none =
      builder.getI64IntegerAttr(std::numeric_limits<int64_t>::max());
  Value first =
      b.reduceRows(max, none, [&](OpBuilder &b, Location loc, ValueRange x) {
        Value column = linalg::IndexOp::create(b, loc, 1);
        Value index = arith::IndexCastOp::create(b, loc, i64, column);
        Value isMax = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                            x[0], x[1], kContract);
        Value last = arith::ConstantOp::create(b, loc, none);
        Value candidate = arith::SelectOp::create(b, loc, isMax, index, last);
        return SmallVector<Value>{
            arith::MinSIOp::create(b, loc, candidate, x[2])};
      })[0];
  SmallVector<Value> correct = b.mapRows(
      {}, {first, labels, weights}, f64,
      [&](OpBuilder &b, Location loc, ValueRange x) {
        Value counts = createCounts(b, loc, x[1], x[2], getIgnoreIndex());
        Value label = x[1];
        if (label.getType() != i64)
          label = arith::ExtSIOp::create(b, loc, i64, label);
        Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                            x[0], label);
        Value both = arith::AndIOp::create(b, loc, counts, equal);
        return SmallVector<Value>{arith::UIToFPOp::create(b, loc, f64, both)};
      });
  return b.sumRows(correct);
}
