// Gradients of all but elementwise operations. Below, g is the gradient of the
// result y, and dx that of an operand x.

#include "dialects/nn/NnGradient.h"

using namespace mlir;
using namespace dsc::nn;

using Gradients = SmallVectorImpl<Value>;

//===----------------------------------------------------------------------===//
// GradientBuilder
//===----------------------------------------------------------------------===//

Value GradientBuilder::constant(Value like, double value) {
  return createSplat(builder, loc, cast<RankedTensorType>(like.getType()),
                     value);
}

Value GradientBuilder::unlessZero(Value gradient, Value value) {
  Value zero = constant(gradient, 0);
  return select(compare(ComparePredicate::eq, gradient, zero), zero, value);
}

Value GradientBuilder::expand(Value x, RankedTensorType type,
                              ArrayRef<int64_t> dims, bool keptDims) {
  SmallVector<int64_t> places;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (keptDims || !llvm::is_contained(dims, dim))
      places.push_back(dim);
  return create<BroadcastOp>(type, x, places);
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

// dx = the sum of g over all places that an element of x was repeated to
LogicalResult BroadcastOp::buildGradient(OpBuilder &builder,
                                         ValueRange gradients, ArrayRef<bool>,
                                         Gradients &result) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType input = getInput().getType();
  SmallVector<int64_t> repeated;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim) {
    const auto *place = llvm::find(getDims(), dim);
    if (place == getDims().end() ||
        input.getDimSize(place - getDims().begin()) !=
            getType().getDimSize(dim))
      repeated.push_back(dim);
  }
  Value dx = gradients[0];
  if (!repeated.empty())
    dx = b.create<ReduceSumOp>(dx, repeated, /*keep_dims=*/false);
  if (dx.getType() != input) // dimensions of size 1 that were repeated
    dx = b.create<ReshapeOp>(input, dx);
  result.assign({dx});
  return success();
}

LogicalResult ReshapeOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                       ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  result.assign({b.create<ReshapeOp>(getInput().getType(), gradients[0])});
  return success();
}

LogicalResult TransposeOp::buildGradient(OpBuilder &builder,
                                         ValueRange gradients, ArrayRef<bool>,
                                         Gradients &result) {
  GradientBuilder b(builder, getLoc());
  SmallVector<int64_t> inverse(getPerm().size());
  for (auto [to, from] : llvm::enumerate(getPerm()))
    inverse[from] = to;
  result.assign({b.create<TransposeOp>(gradients[0], inverse)});
  return success();
}

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

LogicalResult ReduceSumOp::buildGradient(OpBuilder &builder,
                                         ValueRange gradients, ArrayRef<bool>,
                                         Gradients &result) {
  GradientBuilder b(builder, getLoc());
  result.assign(
      {b.expand(gradients[0], getInput().getType(), getDims(), getKeepDims())});
  return success();
}

// dx = g / (number of largest elements) where x is one of them, else 0
LogicalResult ReduceMaxOp::buildGradient(OpBuilder &builder,
                                         ValueRange gradients, ArrayRef<bool>,
                                         Gradients &result) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType type = getInput().getType();
  auto expand = [&](Value x) {
    return b.expand(x, type, getDims(), getKeepDims());
  };
  Value isLargest =
      b.compare(ComparePredicate::eq, getInput(), expand(getResult()));
  Value ones = b.create<CastOp>(isLargest, type.getElementType());
  Value count = b.create<ReduceSumOp>(ones, getDims(), getKeepDims());
  Value share = expand(b.div(gradients[0], count));
  result.assign({b.select(isLargest, share, b.constant(share, 0))});
  return success();
}

// dx = 2 * g * x
LogicalResult SumSquaresOp::buildGradient(OpBuilder &builder,
                                          ValueRange gradients, ArrayRef<bool>,
                                          Gradients &result) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType type = getInput().getType();
  Value twice = b.mul(gradients[0], b.constant(gradients[0], 2));
  Value scale = b.create<CastOp>(twice, type.getElementType());
  Value scales = b.create<BroadcastOp>(type, scale, ArrayRef<int64_t>());
  result.assign({b.mul(scales, getInput())});
  return success();
}

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

// With A and B the operands after their transpose flags: dA = g * B^T and
// dB = A^T * g. An operand that is stored transposed needs its gradient
// transposed, (P * Q)^T = Q^T * P^T. Flags absorb every transpose.
LogicalResult MatmulOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                      ArrayRef<bool> needed,
                                      Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0], lhs = getLhs(), rhs = getRhs();
  bool ta = getTransposeA(), tb = getTransposeB();
  if (getLhs().getType().getShape().drop_back(2) !=
      getRhs().getType().getShape().drop_back(2))
    return emitOpError("batch dimensions differ; normalize makes them equal "
                       "before gradients are built");
  result.assign(2, Value());
  if (needed[0])
    result[0] = ta ? b.create<MatmulOp>(rhs, g, tb, /*transpose_b=*/true)
                   : b.create<MatmulOp>(g, rhs, /*transpose_a=*/false, !tb);
  if (needed[1])
    result[1] = tb ? b.create<MatmulOp>(g, lhs, /*transpose_a=*/true, ta)
                   : b.create<MatmulOp>(lhs, g, !ta, /*transpose_b=*/false);
  return success();
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

/// The sum of `x` along `dim`, in every place that it was summed over.
static Value sumAlong(GradientBuilder &b, Value x, int64_t dim) {
  Value sum = b.create<ReduceSumOp>(x, ArrayRef<int64_t>(dim), false);
  return b.expand(sum, cast<RankedTensorType>(x.getType()), dim, false);
}

// dx = y * (g - sum(g * y))
LogicalResult SoftmaxOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                       ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0], y = getResult();
  Value sum = sumAlong(b, b.mul(g, y), getDim());
  result.assign({b.mul(y, b.sub(g, sum))});
  return success();
}

// dx = g - exp(y) * sum(g)
LogicalResult LogSoftmaxOp::buildGradient(OpBuilder &builder,
                                          ValueRange gradients, ArrayRef<bool>,
                                          Gradients &result) {
  GradientBuilder b(builder, getLoc());
  Value g = gradients[0], softmax = b.create<ExpOp>(getResult());
  result.assign({b.sub(g, b.mul(softmax, sumAlong(b, g, getDim())))});
  return success();
}

//===----------------------------------------------------------------------===//
// Loss
//===----------------------------------------------------------------------===//

// Row weights are data: they say how much a sample counts and are not trained.
bool CrossEntropyOp::isDifferentiableOperand(unsigned index) {
  return index == 0;
}

LogicalResult CrossEntropyOp::buildGradient(OpBuilder &builder,
                                            ValueRange gradients,
                                            ArrayRef<bool> needed,
                                            Gradients &result) {
  result.assign(3, Value());
  if (needed[0] && gradients[0])
    result[0] = CrossEntropyGradOp::create(builder, getLoc(), getLogits(),
                                           getLabels(), getRowWeight(),
                                           gradients[0], getIgnoreIndex());
  return success();
}
