#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/normalize/Matchers.h"
#include "passes/normalize/Passes.h"
#include "passes/normalize/Patterns.h"

#define DEBUG_TYPE "normalize-raise-cross-entropy"

namespace dsc {
#define GEN_PASS_DEF_RAISECROSSENTROPYPASS
#include "passes/normalize/Passes.h.inc"
} // namespace dsc

using namespace dsc;
using namespace mlir;

namespace {

/// A number times the sum, over all rows, of the logarithm of softmax in the
/// place of the row's label.
class CrossEntropyMatcher {
public:
  CrossEntropyMatcher(Value total, KnownValues &known)
      : total(total), known(known) {}

  bool match();
  /// Why something that comes close does not match; else "".
  StringRef getReason() const { return reason; }
  void replace(OpBuilder &builder);

private:
  bool matchPicked(Value picked);
  bool matchLabelMask(Value mask);

  Value total;
  KnownValues &known;
  Value logits, labels;
  double factor = 1;
  StringRef reason;
};

} // namespace

/// `mask` is true where the number of the class is the row's label.
bool CrossEntropyMatcher::matchLabelMask(Value mask) {
  auto compare = definedBy<nn::CompareOp>(mask);
  if (!compare || compare.getPredicate() != nn::ComparePredicate::eq)
    return false;
  ArrayRef<int64_t> shape = shapeOf(mask);
  for (auto [rows, numbers] : bothOrders(compare)) {
    Value perRow = skipRowBroadcast(rows);
    if (!perRow || !typeOf(rows).getElementType().isInteger())
      continue;
    std::optional<KnownTensor> row = known.evaluate(numbers);
    if (!row)
      continue;
    // One row of numbers, repeated: 0, 1, 2, ...
    SmallVector<int64_t> index(shape.size(), 0);
    bool counts = int64_t(row->elements.size()) == shape.back();
    for (; counts && index.back() != shape.back(); ++index.back())
      counts = row->at(index) == index.back();
    if (!counts) {
      reason = "labels are compared with numbers other than those of classes";
      return false;
    }
    labels = perRow;
    return true;
  }
  return false;
}

/// `picked` is the logarithm of softmax in the label's place, and 0 elsewhere.
bool CrossEntropyMatcher::matchPicked(Value picked) {
  Value mask, logarithms;
  if (auto select = definedBy<nn::SelectOp>(picked)) {
    if (!known.isSplat(select.getOnFalse(), 0))
      return false;
    mask = select.getCondition();
    logarithms = select.getOnTrue();
  } else if (auto product = definedBy<nn::MulOp>(picked)) {
    for (auto [hot, other] : bothOrders(product))
      if (auto cast = definedBy<nn::CastOp>(hot)) {
        mask = cast.getInput();
        logarithms = other;
      }
  }
  Scaled scaled{logarithms};
  if (logarithms)
    scaled = stripScale(logarithms, known);
  auto op = definedBy<nn::LogSoftmaxOp>(scaled.base);
  if (!mask || !op)
    return false;
  if (int64_t(op.getDim()) != op.getType().getRank() - 1) {
    reason = "classes do not count along the last dimension";
    return false;
  }
  factor *= scaled.factor;
  logits = op.getInput();
  return matchLabelMask(mask);
}

bool CrossEntropyMatcher::match() {
  if (typeOf(total).getNumElements() != 1 ||
      !isa<FloatType>(typeOf(total).getElementType()))
    return false;
  // Sums over some dimensions, then over others, with numbers between.
  Value value = total;
  bool reduces = false;
  while (true) {
    Scaled scaled = stripScale(value, known);
    factor *= scaled.factor;
    value = skipUnitReshapes(scaled.base);
    if (auto sum = definedBy<nn::ReduceSumOp>(value)) {
      value = sum.getInput();
    } else if (auto mean = definedBy<nn::ReduceMeanOp>(value)) {
      for (int64_t dim : mean.getDims())
        factor /= mean.getInput().getType().getDimSize(dim);
      value = mean.getInput();
    } else {
      break;
    }
    reduces = true;
  }
  return reduces && matchPicked(value) && factor != 0;
}

void CrossEntropyMatcher::replace(OpBuilder &builder) {
  Operation *root = total.getDefiningOp();
  Location loc = root->getLoc();
  builder.setInsertionPoint(root);
  remarkRaised(root, nn::CrossEntropyOp::getOperationName());
  RankedTensorType type = typeOf(logits);
  int64_t classes = type.getShape().back();
  int64_t rows = llvm::product_of(type.getShape().drop_back());
  RankedTensorType rowType = type.clone({rows});
  auto scalar = RankedTensorType::get({}, type.getElementType());
  auto loss = nn::CrossEntropyOp::create(
      builder, loc, TypeRange{scalar, scalar},
      reshapeTo(builder, loc, logits, {rows, classes}),
      reshapeTo(builder, loc, labels, {rows}),
      nn::createSplat(builder, loc, rowType, 1),
      builder.getI64IntegerAttr(-100));
  // A mean is a quotient, which the loss stage knows as a pair.
  Value result = loss.getSum();
  double divisor = -1 / factor;
  if (std::abs(divisor - std::round(divisor)) <= 1e-6 * std::abs(divisor))
    divisor = std::round(divisor);
  if (divisor != 1)
    result = nn::DivOp::create(builder, loc, result,
                               nn::createSplat(builder, loc, scalar, divisor));
  total.replaceAllUsesWith(reshapeTo(builder, loc, result, shapeOf(total)));
}

namespace {
struct RaiseCrossEntropyPass
    : dsc::impl::RaiseCrossEntropyPassBase<RaiseCrossEntropyPass> {
  using RaiseCrossEntropyPassBase::RaiseCrossEntropyPassBase;

  void runOnOperation() override {
    KnownValues known(getOperation());
    OpBuilder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (Block &block : function.getBody()) {
        // From the end: the whole loss before its parts.
        for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
          if (!isa<nn::ReduceSumOp, nn::ReduceMeanOp, nn::MulOp, nn::DivOp,
                   nn::NegOp>(op) ||
              isOpTriviallyDead(&op))
            continue;
          CrossEntropyMatcher matcher(op.getResult(0), known);
          if (matcher.match())
            matcher.replace(builder);
          else if (!matcher.getReason().empty())
            remarkNotRaised(&op, nn::CrossEntropyOp::getOperationName(),
                            matcher.getReason());
          if (isOpTriviallyDead(&op))
            op.erase();
        }
        eraseUnused(block);
      }
    }
  }
};
} // namespace
