// Gradients of operations that move elements. Below, g is the gradient of the
// result, and dx that of an operand x.

#include "dialects/nn/NnGradient.h"

using namespace mlir;
using namespace dsc::nn;

using Gradients = SmallVectorImpl<Value>;

// dx = g where elements were taken, 0 around and between
LogicalResult SliceOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                     ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  RankedTensorType input = getInput().getType();
  SmallVector<int64_t> high, interior;
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    int64_t size = getSizes()[dim], gap = size > 1 ? getStrides()[dim] - 1 : 0;
    int64_t taken = size == 0 ? 0 : size + (size - 1) * gap;
    high.push_back(input.getDimSize(dim) - getOffsets()[dim] - taken);
    interior.push_back(gap);
  }
  result.assign({b.create<PadOp>(gradients[0], getOffsets(), high, interior)});
  return success();
}

// dx = the elements of g that come from x
LogicalResult PadOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                   ArrayRef<bool>, Gradients &result) {
  GradientBuilder b(builder, getLoc());
  ArrayRef<int64_t> sizes = getInput().getType().getShape();
  SmallVector<int64_t> strides;
  for (auto [size, gap] : llvm::zip_equal(sizes, getInterior()))
    strides.push_back(size > 1 ? gap + 1 : 1);
  result.assign({b.create<SliceOp>(gradients[0], getLow(), sizes, strides)});
  return success();
}

LogicalResult ConcatOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                      ArrayRef<bool> needed,
                                      Gradients &result) {
  GradientBuilder b(builder, getLoc());
  SmallVector<int64_t> offsets(getType().getRank(), 0);
  SmallVector<int64_t> strides(getType().getRank(), 1);
  for (auto [input, isNeeded] : llvm::zip_equal(getInputs(), needed)) {
    ArrayRef<int64_t> sizes =
        cast<RankedTensorType>(input.getType()).getShape();
    result.push_back(
        isNeeded ? b.create<SliceOp>(gradients[0], offsets, sizes, strides)
                 : Value());
    offsets[getDim()] += sizes[getDim()];
  }
  return success();
}

// ddata[j] = the sum of g[i] over all i with indices[i] = j. Where `dim` is not
// 0, the dimensions of the indices go first, and `dim` back to its place.
LogicalResult GatherOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                      ArrayRef<bool> needed,
                                      Gradients &result) {
  result.assign(2, Value());
  if (!needed[0])
    return success();
  GradientBuilder b(builder, getLoc());
  RankedTensorType data = getData().getType();
  int64_t dim = getDim(), rank = getIndices().getType().getRank();
  SmallVector<int64_t> there, back;
  for (int64_t k = dim; k < dim + rank; ++k)
    there.push_back(k);
  for (int64_t k = 0; k < getType().getRank(); ++k)
    if (k < dim || k >= dim + rank)
      there.push_back(k);
  SmallVector<int64_t> shape = {data.getDimSize(dim)};
  for (int64_t k = 0; k < data.getRank(); ++k) {
    back.push_back(k < dim ? k + 1 : k == dim ? 0 : k);
    if (k != dim)
      shape.push_back(data.getDimSize(k));
  }
  Value g = gradients[0];
  if (dim != 0)
    g = b.create<TransposeOp>(g, there);
  Value sum = b.create<ScatterAddOp>(data.clone(shape), getIndices(), g);
  result[0] = dim != 0 ? b.create<TransposeOp>(sum, back) : sum;
  return success();
}

// dupdates[i] = g[indices[i]], 0 where that index was ignored
LogicalResult ScatterAddOp::buildGradient(OpBuilder &builder,
                                          ValueRange gradients,
                                          ArrayRef<bool> needed,
                                          Gradients &result) {
  result.assign(2, Value());
  if (!needed[1])
    return success();
  GradientBuilder b(builder, getLoc());
  Value indices = getIndices();
  int64_t rows = getType().getDimSize(0);
  Value isBelow =
      b.compare(ComparePredicate::lt, indices, b.constant(indices, -rows));
  Value isAbove =
      b.compare(ComparePredicate::ge, indices, b.constant(indices, rows));
  Value isIgnored = b.create<OrOp>(isBelow, isAbove);
  RankedTensorType updates = getUpdates().getType();
  auto dims =
      llvm::to_vector(llvm::seq<int64_t>(0, getIndices().getType().getRank()));
  Value ignored = b.create<BroadcastOp>(updates.clone(builder.getI1Type()),
                                        isIgnored, dims);
  Value taken = b.create<GatherOp>(gradients[0], indices, /*dim=*/0);
  result[1] = b.select(ignored, b.constant(taken, 0), taken);
  return success();
}
