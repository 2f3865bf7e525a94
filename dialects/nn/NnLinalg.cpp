// Lowering of shape operations, reductions and matrix products to linalg.

#include "dialects/nn/NnLinalg.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

using namespace mlir;
using namespace dsc::nn;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// LinalgBuilder
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> LinalgBuilder::getSizes(Value tensor) {
  return tensor::getMixedSizes(builder, loc, tensor);
}

Value LinalgBuilder::createEmpty(ArrayRef<OpFoldResult> sizes,
                                 Type elementType) {
  return tensor::EmptyOp::create(builder, loc, sizes, elementType);
}

Value LinalgBuilder::createFilled(ArrayRef<OpFoldResult> sizes,
                                  TypedAttr value) {
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  Value empty = createEmpty(sizes, value.getType());
  return linalg::FillOp::create(builder, loc, scalar, empty).getResult(0);
}

TypedAttr LinalgBuilder::getFloat(Type type, double value) {
  return FloatAttr::get(type, value);
}

SmallVector<Value>
LinalgBuilder::createGeneric(ValueRange inputs, ValueRange inits,
                             ArrayRef<AffineMap> maps,
                             ArrayRef<IteratorType> iterators, Body body) {
  auto op = linalg::GenericOp::create(
      builder, loc, inits.getTypes(), inputs, inits, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange elements) {
        linalg::YieldOp::create(nested, loc, body(nested, loc, elements));
      });
  return SmallVector<Value>(op.getResults());
}

AffineMap LinalgBuilder::getIdentityMap(unsigned rank) {
  return builder.getMultiDimIdentityMap(rank);
}

AffineMap LinalgBuilder::getProjection(unsigned rank, ArrayRef<int64_t> loops) {
  SmallVector<AffineExpr> results;
  for (int64_t loop : loops)
    results.push_back(builder.getAffineDimExpr(loop));
  return AffineMap::get(rank, 0, results, builder.getContext());
}

/// Copies elements of `input` as `map` tells into a tensor of `sizes`.
static SmallVector<Value> createCopy(LinalgBuilder &b, Value input,
                                     AffineMap map,
                                     ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(input.getType());
  Value init = b.createEmpty(sizes, type.getElementType());
  SmallVector<IteratorType> iterators(sizes.size(), IteratorType::parallel);
  return b.createGeneric(input, init, {map, b.getIdentityMap(sizes.size())},
                         iterators,
                         [](OpBuilder &, Location, ValueRange elements) {
                           return SmallVector<Value>{elements[0]};
                         });
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> ConstantOp::lowerToLinalg(OpBuilder &builder,
                                                        ValueRange) {
  return SmallVector<Value>{
      arith::ConstantOp::create(builder, getLoc(), getValue())};
}

FailureOr<SmallVector<Value>> BroadcastOp::lowerToLinalg(OpBuilder &builder,
                                                         ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  RankedTensorType type = getType();
  auto input = cast<RankedTensorType>(operands[0].getType());
  SmallVector<OpFoldResult> inputSizes = b.getSizes(operands[0]);
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size) ? OpFoldResult()
                                                : builder.getIndexAttr(size));
  SmallVector<AffineExpr> places;
  for (auto [k, dim] : llvm::enumerate(getDims())) {
    bool repeated = input.getDimSize(k) == 1 && type.getDimSize(dim) != 1;
    places.push_back(repeated ? builder.getAffineConstantExpr(0)
                              : builder.getAffineDimExpr(dim));
    if (!repeated && !sizes[dim])
      sizes[dim] = inputSizes[k];
  }
  if (!llvm::all_of(sizes, [](OpFoldResult size) { return bool(size); }))
    return emitOpError("no operand tells the size of each `?` of ") << type;
  AffineMap map =
      AffineMap::get(type.getRank(), 0, places, builder.getContext());
  return createCopy(b, operands[0], map, sizes);
}

FailureOr<SmallVector<Value>> ReshapeOp::lowerToLinalg(OpBuilder &builder,
                                                       ValueRange operands) {
  auto input = cast<RankedTensorType>(operands[0].getType());
  if (input == getType())
    return SmallVector<Value>{operands[0]};
  if (!input.hasStaticShape() || !getType().hasStaticShape())
    return emitOpError("cannot be lowered with a `?` dimension");
  // Through a vector: collapse what has more dimensions, expand to them.
  Value value = operands[0];
  auto getAllDims = [](int64_t rank) {
    SmallVector<ReassociationIndices> groups;
    if (rank > 0)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    return groups;
  };
  auto vector =
      RankedTensorType::get({input.getNumElements()}, input.getElementType());
  if (input.getRank() == 0)
    value = tensor::ExpandShapeOp::create(builder, getLoc(), vector, value,
                                          getAllDims(0));
  else if (input.getRank() > 1)
    value = tensor::CollapseShapeOp::create(builder, getLoc(), vector, value,
                                            getAllDims(input.getRank()));
  if (getType().getRank() == 0)
    value = tensor::CollapseShapeOp::create(builder, getLoc(), getType(), value,
                                            getAllDims(0));
  else if (getType().getRank() > 1)
    value = tensor::ExpandShapeOp::create(builder, getLoc(), getType(), value,
                                          getAllDims(getType().getRank()));
  return SmallVector<Value>{value};
}

FailureOr<SmallVector<Value>> TransposeOp::lowerToLinalg(OpBuilder &builder,
                                                         ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  // Loop k of the result reads dimension perm[k].
  SmallVector<int64_t> loops(getPerm().size());
  SmallVector<OpFoldResult> inputSizes = b.getSizes(operands[0]), sizes;
  for (auto [k, dim] : llvm::enumerate(getPerm())) {
    loops[dim] = k;
    sizes.push_back(inputSizes[dim]);
  }
  return createCopy(b, operands[0], b.getProjection(loops.size(), loops),
                    sizes);
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// Reduces with `combine(element, accumulator)` from `identity`. The loops are
/// the operand's dimensions in order, then one of size 1 a kept dimension.
static SmallVector<Value> createReduction(
    OpBuilder &builder, Location loc, Value input, ArrayRef<int64_t> dims,
    bool keepDims, TypedAttr identity,
    llvm::function_ref<Value(OpBuilder &, Location, Value, Value)> combine) {
  LinalgBuilder b(builder, loc);
  SmallVector<OpFoldResult> inputSizes = b.getSizes(input), sizes;
  int64_t rank = inputSizes.size();
  SmallVector<IteratorType> iterators;
  SmallVector<int64_t> inputLoops, resultLoops;
  int64_t loopCount = rank + (keepDims ? dims.size() : 0), unitLoop = rank;
  for (int64_t dim = 0; dim < rank; ++dim) {
    inputLoops.push_back(dim);
    bool reduced = llvm::is_contained(dims, dim);
    iterators.push_back(reduced ? IteratorType::reduction
                                : IteratorType::parallel);
    if (!reduced) {
      resultLoops.push_back(dim);
      sizes.push_back(inputSizes[dim]);
    } else if (keepDims) {
      resultLoops.push_back(unitLoop++);
      sizes.push_back(builder.getIndexAttr(1));
    }
  }
  iterators.resize(loopCount, IteratorType::parallel);
  Value init = b.createFilled(sizes, identity);
  return b.createGeneric(
      input, init,
      {b.getProjection(loopCount, inputLoops),
       b.getProjection(loopCount, resultLoops)},
      iterators, [&](OpBuilder &builder, Location loc, ValueRange x) {
        return SmallVector<Value>{combine(builder, loc, x[0], x[1])};
      });
}

FailureOr<SmallVector<Value>> ReduceSumOp::lowerToLinalg(OpBuilder &builder,
                                                         ValueRange operands) {
  Type type = getType().getElementType();
  // Along leading dimensions the innermost loop is parallel and vectorises as
  // it is, so that the order of additions can stay that of the index.
  bool innermost =
      llvm::is_contained(getDims(), getInput().getType().getRank() - 1);
  auto flags = innermost ? kReassociate : kContract;
  return createReduction(
      builder, getLoc(), operands[0], getDims(), getKeepDims(),
      builder.getZeroAttr(type),
      [&](OpBuilder &b, Location loc, Value x, Value sum) -> Value {
        if (isa<FloatType>(type))
          return arith::AddFOp::create(b, loc, x, sum, flags);
        return arith::AddIOp::create(b, loc, x, sum);
      });
}

FailureOr<SmallVector<Value>> AddRowsOp::lowerToLinalg(OpBuilder &builder,
                                                       ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  int64_t rank = getRows().getType().getRank();
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.front() = IteratorType::reduction;
  return b.createGeneric(
      operands[1], operands[0],
      {b.getIdentityMap(rank),
       b.getProjection(rank, llvm::to_vector(llvm::seq<int64_t>(1, rank)))},
      iterators, [](OpBuilder &builder, Location loc, ValueRange x) {
        return SmallVector<Value>{
            arith::AddFOp::create(builder, loc, x[0], x[1], kContract)};
      });
}

FailureOr<SmallVector<Value>> ReduceMaxOp::lowerToLinalg(OpBuilder &builder,
                                                         ValueRange operands) {
  Type type = getType().getElementType();
  TypedAttr least;
  if (isa<FloatType>(type))
    least = FloatAttr::get(type, -std::numeric_limits<double>::infinity());
  else
    least = IntegerAttr::get(
        type, APInt::getSignedMinValue(type.getIntOrFloatBitWidth()));
  return createReduction(
      builder, getLoc(), operands[0], getDims(), getKeepDims(), least,
      [&](OpBuilder &b, Location loc, Value x, Value max) -> Value {
        if (isa<FloatType>(type))
          return arith::MaximumFOp::create(b, loc, x, max, kReassociate);
        return arith::MaxSIOp::create(b, loc, x, max);
      });
}

FailureOr<SmallVector<Value>> SumSquaresOp::lowerToLinalg(OpBuilder &builder,
                                                          ValueRange operands) {
  Type f64 = builder.getF64Type();
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(0, getInput().getType().getRank()));
  return createReduction(
      builder, getLoc(), operands[0], dims, /*keepDims=*/false,
      builder.getZeroAttr(f64),
      [&](OpBuilder &b, Location loc, Value x, Value sum) -> Value {
        if (x.getType() != f64)
          x = arith::ExtFOp::create(b, loc, f64, x);
        Value square = arith::MulFOp::create(b, loc, x, x, kContract);
        return arith::AddFOp::create(b, loc, square, sum, kReassociate);
      });
}

/// What `element` makes of the six numbers of the elements before it, `soFar`.
static SmallVector<Value> buildSummary(OpBuilder &builder, Location loc,
                                       Value element, ValueRange soFar,
                                       ArrayRef<int64_t> shape, bool nanOnly) {
  ImplicitLocOpBuilder b(loc, builder);
  Type f64 = b.getF64Type();
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value x,
                     Value y) -> Value {
    return arith::CmpFOp::create(b, predicate, x, y);
  };
  auto both = [&](Value x, Value y) -> Value {
    return arith::AndIOp::create(b, x, y);
  };
  auto select = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, condition, x, y);
  };
  Value x = element;
  if (x.getType() != f64)
    x = arith::ExtFOp::create(b, f64, x);
  Value zero = constant(0);
  Value finite =
      compare(arith::CmpFPredicate::OLT, math::AbsFOp::create(b, x).getResult(),
              constant(std::numeric_limits<double>::infinity()));
  Value wrong = nanOnly ? compare(arith::CmpFPredicate::UNO, x, x)
                        : arith::XOrIOp::create(
                              b, finite,
                              arith::ConstantOp::create(b, b.getBoolAttr(true)))
                              .getResult();

  Value place = arith::ConstantIndexOp::create(b, 0);
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    // Of a part, the only extent is not known, and not needed.
    if (dim > 0)
      place = arith::MulIOp::create(b, place,
                                    arith::ConstantIndexOp::create(b, extent));
    place = arith::AddIOp::create(b, place, linalg::IndexOp::create(b, dim));
  }
  place = arith::UIToFPOp::create(
      b, f64, arith::IndexCastOp::create(b, b.getI64Type(), place));

  Value isFirst =
      both(wrong, compare(arith::CmpFPredicate::OLT, soFar[1], zero));
  Value isLess = both(finite, compare(arith::CmpFPredicate::OLT, x, soFar[3]));
  Value isGreater =
      both(finite, compare(arith::CmpFPredicate::OGT, x, soFar[4]));
  return {arith::AddFOp::create(b, soFar[0], select(wrong, constant(1), zero)),
          select(isFirst, place, soFar[1]),
          select(isFirst, x, soFar[2]),
          select(isLess, x, soFar[3]),
          select(isGreater, x, soFar[4]),
          arith::AddFOp::create(b, soFar[5], select(finite, x, zero))};
}

/// One loop nest goes over the elements, in order, so that the first is the
/// first; another one puts the numbers side by side.
FailureOr<SmallVector<Value>> SummarizeOp::lowerToLinalg(OpBuilder &builder,
                                                         ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto input = cast<RankedTensorType>(operands[0].getType());
  if (input.getRank() > 1 && !input.hasStaticShape())
    return emitOpError("cannot be lowered with a `?` dimension");
  unsigned rank = input.getRank();
  SmallVector<Value> inits;
  SmallVector<AffineMap> maps{b.getIdentityMap(rank)};
  for (double start : {0.0, -1.0, 0.0, infinity, -infinity, 0.0}) {
    inits.push_back(
        b.createFilled({}, b.getFloat(builder.getF64Type(), start)));
    maps.push_back(b.getProjection(rank, {}));
  }
  SmallVector<IteratorType> reductions(rank, IteratorType::reduction);
  SmallVector<Value> numbers =
      b.createGeneric(operands[0], inits, maps, reductions,
                      [&](OpBuilder &nested, Location loc, ValueRange x) {
                        return buildSummary(nested, loc, x[0], x.drop_front(),
                                            input.getShape(), getNanOnly());
                      });

  SmallVector<AffineMap> places(numbers.size(), b.getProjection(1, {}));
  places.push_back(b.getIdentityMap(1));
  Value empty = b.createEmpty({builder.getIndexAttr(numbers.size())},
                              builder.getF64Type());
  return b.createGeneric(
      numbers, empty, places, IteratorType::parallel,
      [&](OpBuilder &nested, Location loc, ValueRange x) {
        Value which = linalg::IndexOp::create(nested, loc, 0);
        Value result = x[0];
        for (unsigned number = 1; number < numbers.size(); ++number) {
          Value isThis = arith::CmpIOp::create(
              nested, loc, arith::CmpIPredicate::eq, which,
              arith::ConstantIndexOp::create(nested, loc, number));
          result =
              arith::SelectOp::create(nested, loc, isThis, x[number], result);
        }
        return SmallVector<Value>{result};
      });
}

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> MatmulOp::lowerToLinalg(OpBuilder &builder,
                                                      ValueRange operands) {
  LinalgBuilder b(builder, getLoc());
  if (getLhs().getType().getShape().drop_back(2) !=
      getRhs().getType().getShape().drop_back(2))
    return emitOpError("cannot be lowered with batch dimensions that differ");
  SmallVector<OpFoldResult> lhsSizes = b.getSizes(operands[0]);
  SmallVector<OpFoldResult> rhsSizes = b.getSizes(operands[1]);
  int64_t batch = lhsSizes.size() - 2;
  int64_t m = batch, n = batch + 1, k = batch + 2, loopCount = batch + 3;
  auto getLoops = [&](int64_t row, int64_t column, bool transposed) {
    SmallVector<int64_t> loops = llvm::to_vector(llvm::seq<int64_t>(0, batch));
    if (transposed)
      std::swap(row, column);
    loops.append({row, column});
    return b.getProjection(loopCount, loops);
  };
  SmallVector<OpFoldResult> sizes(ArrayRef(lhsSizes).take_front(batch));
  sizes.push_back(lhsSizes[getTransposeA() ? batch + 1 : batch]);
  sizes.push_back(rhsSizes[getTransposeB() ? batch : batch + 1]);
  Value init = b.createFilled(sizes, b.getFloat(getType().getElementType(), 0));
  SmallVector<IteratorType> iterators(loopCount, IteratorType::parallel);
  iterators.back() = IteratorType::reduction;
  return b.createGeneric(
      operands, init,
      {getLoops(m, k, getTransposeA()), getLoops(k, n, getTransposeB()),
       getLoops(m, n, false)},
      iterators, [](OpBuilder &b, Location loc, ValueRange x) {
        Value product = arith::MulFOp::create(b, loc, x[0], x[1], kContract);
        return SmallVector<Value>{
            arith::AddFOp::create(b, loc, product, x[2], kReassociate)};
      });
}
