// Gradients of normalization, attention and dropout. Below, g is the gradient
// of the result y, and dx that of an operand x.

#include "dialects/nn/NnGradient.h"

using namespace mlir;
using namespace dsc::nn;

using Gradients = SmallVectorImpl<Value>;

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

namespace {

/// Writes the gradients of one nn.layer_norm, C elements a row.
class LayerNormGradient {
public:
  LayerNormGradient(OpBuilder &builder, LayerNormOp op)
      : b(builder, op.getLoc()), op(op), type(op.getInput().getType()) {
    for (int64_t dim = 0; dim < type.getRank() - 1; ++dim)
      rowDims.push_back(dim);
  }

  /// What arrives at y.
  Value fromResult(Value g) {
    return b.create<LayerNormGradOp>(g, op.getInput(), op.getScale(),
                                     op.getMean(), op.getRstd());
  }
  /// What arrives at the mean: g / C.
  Value fromMean(Value g) {
    return expand(b.div(g, b.constant(g, type.getShape().back())));
  }
  /// What arrives at rstd = (variance + epsilon)^-1/2: -g * rstd^2 * xhat / C.
  Value fromRstd(Value g) {
    Value rstd = op.getRstd();
    Value square = b.mul(rstd, rstd);
    Value factor =
        b.div(b.mul(g, square), b.constant(g, -double(type.getShape().back())));
    return b.mul(expand(factor), getNormalized());
  }

  Value sumRows(Value x) {
    return rowDims.empty()
               ? x
               : b.create<ReduceSumOp>(x, rowDims, /*keep_dims=*/false);
  }
  /// xhat = (x - mean) * rstd, where what rounding took from the mean, the mean
  /// of x - mean, is taken out as it is in nn.layer_norm.
  Value getNormalized() {
    if (normalized)
      return normalized;
    int64_t last = type.getRank() - 1;
    Value centred = b.sub(op.getInput(), expand(op.getMean()));
    Value sum = b.create<ReduceSumOp>(centred, ArrayRef<int64_t>(last),
                                      /*keep_dims=*/false);
    Value rest = b.div(sum, b.constant(sum, type.getShape().back()));
    normalized = b.mul(b.sub(centred, expand(rest)), expand(op.getRstd()));
    return normalized;
  }

  GradientBuilder b;

private:
  Value expand(Value row) {
    return b.expand(row, type, type.getRank() - 1, /*keptDims=*/false);
  }

  LayerNormOp op;
  RankedTensorType type;
  SmallVector<int64_t> rowDims;
  Value normalized;
};

} // namespace

LogicalResult LayerNormOp::buildGradient(OpBuilder &builder,
                                         ValueRange gradients,
                                         ArrayRef<bool> needed,
                                         Gradients &result) {
  if (getScale().getType().getRank() != 1)
    return emitOpError("normalizes more than one dimension; normalize makes "
                       "them one before gradients are built");
  LayerNormGradient row(builder, *this);
  Value g = gradients[0], gMean = gradients[1], gRstd = gradients[2];
  result.assign(getNumOperands(), Value());
  auto addTo = [&](Value &sum, Value term) {
    sum = sum ? row.b.add(sum, term) : term;
  };
  if (needed[0] && g)
    addTo(result[0], row.fromResult(g));
  if (needed[0] && gMean)
    addTo(result[0], row.fromMean(gMean));
  if (needed[0] && gRstd)
    addTo(result[0], row.fromRstd(gRstd));
  if (needed[1] && g)
    result[1] = row.sumRows(row.b.mul(g, row.getNormalized()));
  if (getBias() && needed[2] && g)
    result[2] = row.sumRows(g);
  return success();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

LogicalResult AttentionOp::buildGradient(OpBuilder &builder,
                                         ValueRange gradients,
                                         ArrayRef<bool> needed,
                                         Gradients &result) {
  if (gradients[1])
    return emitOpError("lse is for nn.attention_grad alone; a loss cannot "
                       "depend on it");
  bool biasGradient = getBias() && needed[3];
  auto op = AttentionGradOp::create(
      builder, getLoc(), gradients[0], getQuery(), getKey(), getValue(),
      getResult(), getLse(), getBias(), getScale(), getCausal(), biasGradient);
  result.assign(getNumOperands(), Value());
  for (unsigned i = 0; i < 3; ++i)
    if (needed[i])
      result[i] = op.getResult(i);
  if (biasGradient)
    result[3] = op.getDbias();
  return success();
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

// dx = the same mask and factor, on g
LogicalResult DropoutOp::buildGradient(OpBuilder &builder, ValueRange gradients,
                                       ArrayRef<bool>, Gradients &result) {
  result.assign(
      {DropoutOp::create(builder, getLoc(), gradients[0], getSeed(),
                         getMicroBatch(), getProbability(), getSite()),
       Value(), Value()});
  return success();
}
