// Lowering of operations on rows: each becomes a few linalg operations whose
// loops are (row, column) or (row), so that a tile of rows holds all of them.
// Exponentials that a result is made of are kept where the result will lie, so
// that they are computed once and need no memory of their own.

#include "dialects/nn/NnLinalg.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace dsc::nn;
using utils::IteratorType;

namespace {

/// Emits operations along one dimension of a tensor, the "row".
class RowBuilder : public LinalgBuilder {
public:
  RowBuilder(OpBuilder &builder, Location loc, Value input, int64_t dim)
      : LinalgBuilder(builder, loc), builder(builder), input(input),
        type(cast<RankedTensorType>(input.getType()).getElementType()) {
    sizes = getSizes(input);
    for (int64_t loop = 0, rank = sizes.size(); loop < rank; ++loop) {
      loops.push_back(loop == dim ? IteratorType::reduction
                                  : IteratorType::parallel);
      if (loop == dim)
        continue;
      rowLoops.push_back(loop);
      rowSizes.push_back(sizes[loop]);
    }
  }

  Type getElementType() { return type; }
  TypedAttr getFloat(double value) { return FloatAttr::get(type, value); }

  /// Reduces each row of the operand. `inputs` have one element a row. The body
  /// gets the operand's element, those of `inputs`, then the accumulators.
  SmallVector<Value> reduceRows(ValueRange inputs,
                                ArrayRef<TypedAttr> identities, Body body) {
    SmallVector<Value> inits;
    for (TypedAttr identity : identities)
      inits.push_back(createFilled(rowSizes, identity));
    return createGeneric(prepend(inputs), inits,
                         getMaps(inputs.size() + inits.size(), 0), loops, body);
  }

  /// Maps each element of the operand. `inputs` have one element a row.
  SmallVector<Value> mapElements(ValueRange inputs, Body body) {
    SmallVector<IteratorType> parallel(sizes.size(), IteratorType::parallel);
    return createGeneric(prepend(inputs), createEmpty(sizes, type),
                         getMaps(inputs.size(), 1), parallel, body);
  }

  /// Maps tensors of one element a row, or none (`scalars`, first), to others.
  SmallVector<Value> mapRows(ValueRange scalars, ValueRange inputs,
                             ArrayRef<Type> types, Body body) {
    unsigned rank = rowSizes.size();
    SmallVector<Value> all(scalars), inits;
    all.append(inputs.begin(), inputs.end());
    SmallVector<AffineMap> maps(scalars.size(), getProjection(rank, {}));
    maps.resize(all.size() + types.size(), getIdentityMap(rank));
    for (Type type : types)
      inits.push_back(createEmpty(rowSizes, type));
    SmallVector<IteratorType> parallel(rank, IteratorType::parallel);
    return createGeneric(all, inits, maps, parallel, body);
  }

  /// Adds up all rows of tensors with one element a row.
  SmallVector<Value> sumRows(ValueRange inputs) {
    unsigned rank = rowSizes.size();
    SmallVector<Value> inits;
    for (Value value : inputs)
      inits.push_back(createFilled(
          {}, builder.getZeroAttr(getElementTypeOrSelf(value.getType()))));
    SmallVector<AffineMap> maps(inputs.size(), getIdentityMap(rank));
    maps.append(inputs.size(), getProjection(rank, {}));
    SmallVector<IteratorType> reduction(rank, IteratorType::reduction);
    return createGeneric(
        inputs, inits, maps, reduction,
        [&](OpBuilder &b, Location loc, ValueRange x) {
          SmallVector<Value> sums;
          for (size_t i = 0; i < inputs.size(); ++i)
            sums.push_back(arith::AddFOp::create(
                b, loc, x[i], x[inputs.size() + i], kReassociate));
          return sums;
        });
  }

  /// The largest element of each row.
  Value reduceMax() {
    TypedAttr least = getFloat(-std::numeric_limits<double>::infinity());
    return reduceRows({}, least, [](OpBuilder &b, Location loc, ValueRange x) {
      return SmallVector<Value>{
          arith::MaximumFOp::create(b, loc, x[0], x[1], kReassociate)};
    })[0];
  }

  /// exp(x - max) of each element.
  Value mapExponentials(Value max) {
    return mapElements(max, [](OpBuilder &b, Location loc, ValueRange x) {
      Value shifted = arith::SubFOp::create(b, loc, x[0], x[1], kContract);
      return SmallVector<Value>{
          math::ExpOp::create(b, loc, shifted, kContract)};
    })[0];
  }

  /// The sum of each row.
  Value reduceSum() {
    return reduceRows(
        {}, getFloat(0), [](OpBuilder &b, Location loc, ValueRange x) {
          return SmallVector<Value>{
              arith::AddFOp::create(b, loc, x[0], x[1], kReassociate)};
        })[0];
  }

  /// The sum of exp(x - max) of each row.
  Value reduceExponentials(Value max) {
    return reduceRows(
        max, getFloat(0), [](OpBuilder &b, Location loc, ValueRange x) {
          Value shifted = arith::SubFOp::create(b, loc, x[0], x[1], kContract);
          Value power = math::ExpOp::create(b, loc, shifted, kContract);
          return SmallVector<Value>{
              arith::AddFOp::create(b, loc, power, x[2], kReassociate)};
        })[0];
  }

private:
  SmallVector<Value> prepend(ValueRange inputs) {
    SmallVector<Value> all{input};
    all.append(inputs.begin(), inputs.end());
    return all;
  }

  /// The operand's map, `rows` of one element a row, `elements` of all.
  SmallVector<AffineMap> getMaps(unsigned rows, unsigned elements) {
    unsigned rank = sizes.size();
    SmallVector<AffineMap> maps{getIdentityMap(rank)};
    maps.append(rows, getProjection(rank, rowLoops));
    maps.append(elements, getIdentityMap(rank));
    return maps;
  }

  OpBuilder &builder;
  Value input;
  Type type;
  SmallVector<OpFoldResult> sizes, rowSizes;
  SmallVector<int64_t> rowLoops;
  SmallVector<IteratorType> loops;
};

} // namespace

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

FailureOr<SmallVector<Value>>
CrossEntropyOp::lowerToLinalg(OpBuilder &builder, ValueRange operands) {
  RowBuilder b(builder, getLoc(), operands[0], 1);
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
  // w * (log(sum) - (x[label] - max)) and w, both 0 for rows that do not count
  SmallVector<Value> losses = b.mapRows(
      {}, {sums[0], sums[1], labels, weights}, {type, type},
      [&](OpBuilder &b, Location loc, ValueRange x) {
        Value counts = createCounts(b, loc, x[2], x[3], getIgnoreIndex());
        Value logarithm = math::LogOp::create(b, loc, x[0], kContract);
        Value loss = arith::SubFOp::create(b, loc, logarithm, x[1], kContract);
        Value weighted = arith::MulFOp::create(b, loc, x[3], loss, kContract);
        Value zero = createZero(b, loc, type);
        return SmallVector<Value>{
            arith::SelectOp::create(b, loc, counts, weighted, zero),
            arith::SelectOp::create(b, loc, counts, x[3], zero)};
      });
  return b.sumRows(losses);
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
