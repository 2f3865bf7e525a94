#include "dialects/nn/NnOps.h"
#include "passes/normalize/Patterns.h"

using namespace dsc;
using namespace mlir;

namespace {

/// The operands of a loss as a matrix of logits and one label a row.
class LossBuilder {
public:
  LossBuilder(nn::SoftmaxCrossEntropyLossOp op, OpBuilder &builder)
      : op(op), builder(builder), loc(op.getLoc()),
        element(op.getScores().getType().getElementType()) {
    ArrayRef<int64_t> shape = op.getScores().getType().getShape();
    classes = shape[1];
    rows = shape[0] * llvm::product_of(shape.drop_front(2));
    // Classes go last, so that a row is a slice of memory.
    SmallVector<int64_t> perm = {0};
    llvm::append_range(perm, llvm::seq<int64_t>(2, shape.size()));
    perm.push_back(1);
    logits =
        reshapeTo(builder, loc, transposeTo(builder, loc, op.getScores(), perm),
                  {rows, classes});
    labels = reshapeTo(builder, loc, op.getLabels(), {rows});
  }

  /// The loss for `reduction`.
  Value build() {
    if (op.getReduction() == nn::LossReduction::none)
      return reshapeTo(
          builder, loc, buildRowLosses(),
          cast<RankedTensorType>(op.getLoss().getType()).getShape());
    auto sums = nn::CrossEntropyOp::create(
        builder, loc, TypeRange{op.getLoss().getType(), op.getLoss().getType()},
        logits, labels, buildRowWeights(),
        builder.getI64IntegerAttr(getIgnoreIndex()));
    if (op.getReduction() == nn::LossReduction::sum)
      return sums->getResult(0);
    return nn::DivOp::create(builder, loc, sums->getResult(0),
                             sums->getResult(1));
  }

private:
  RankedTensorType type(ArrayRef<int64_t> shape) const {
    return RankedTensorType::get(shape, element);
  }

  /// The label that does not count. Where there is none, the most negative
  /// number stands for it, which no label is.
  int64_t getIgnoreIndex() {
    unsigned width =
        op.getLabels().getType().getElementType().getIntOrFloatBitWidth();
    std::optional<int64_t> ignored = op.getIgnoreIndex();
    return ignored && llvm::isIntN(width, *ignored) ? *ignored
                                                    : llvm::minIntN(width);
  }

  /// i1, true where the column is the row's label.
  Value buildLabelMask() {
    auto labelType = cast<RankedTensorType>(labels.getType());
    RankedTensorType matrix = labelType.clone({rows, classes});
    SmallVector<Attribute> numbers;
    for (int64_t i = 0; i != classes; ++i)
      numbers.push_back(builder.getIntegerAttr(labelType.getElementType(), i));
    RankedTensorType rowType = labelType.clone({classes});
    Value columns = nn::ConstantOp::create(
        builder, loc, rowType, DenseElementsAttr::get(rowType, numbers));
    return nn::CompareOp::create(
        builder, loc, matrix.clone(builder.getI1Type()),
        nn::ComparePredicate::eq,
        nn::BroadcastOp::create(builder, loc, matrix, labels,
                                ArrayRef<int64_t>{0}),
        broadcastTo(builder, loc, columns, {rows, classes}));
  }

  /// For each row the element of `matrix` in the label's column.
  Value pick(Value matrix) {
    Value zero = nn::createSplat(builder, loc, type({rows, classes}), 0);
    Value picked =
        nn::SelectOp::create(builder, loc, buildLabelMask(), matrix, zero);
    return nn::ReduceSumOp::create(builder, loc, type({rows}), picked,
                                   ArrayRef<int64_t>{1}, /*keep_dims=*/false);
  }

  /// The class weight of each row's label.
  Value buildRowWeights() {
    if (!op.getClassWeights())
      return nn::createSplat(builder, loc, type({rows}), 1);
    return pick(
        broadcastTo(builder, loc, op.getClassWeights(), {rows, classes}));
  }

  Value buildRowLosses() {
    Value logProbabilities = nn::LogSoftmaxOp::create(
        builder, loc, logits.getType(), logits, /*dim=*/1);
    Value loss = nn::NegOp::create(builder, loc, pick(logProbabilities));
    if (op.getClassWeights())
      loss = nn::MulOp::create(builder, loc, loss, buildRowWeights());
    if (!op.getIgnoreIndex())
      return loss;
    auto labelType = cast<RankedTensorType>(labels.getType());
    Attribute number =
        builder.getIntegerAttr(labelType.getElementType(), getIgnoreIndex());
    Value ignored = nn::ConstantOp::create(
        builder, loc, labelType, DenseElementsAttr::get(labelType, number));
    Value counts = nn::CompareOp::create(
        builder, loc, type({rows}).clone(builder.getI1Type()),
        nn::ComparePredicate::ne, labels, ignored);
    return nn::SelectOp::create(builder, loc, counts, loss,
                                nn::createSplat(builder, loc, type({rows}), 0));
  }

  nn::SoftmaxCrossEntropyLossOp op;
  OpBuilder &builder;
  Location loc;
  Type element;
  int64_t rows, classes;
  Value logits, labels;
};

struct DecomposeLoss : OpRewritePattern<nn::SoftmaxCrossEntropyLossOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::SoftmaxCrossEntropyLossOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> results = {LossBuilder(op, rewriter).build()};
    if (op.getLogProb())
      results.push_back(nn::LogSoftmaxOp::create(
          rewriter, op.getLoc(), op.getScores().getType(), op.getScores(),
          /*dim=*/1));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void dsc::populateDecomposeLossPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeLoss>(patterns.getContext());
}
