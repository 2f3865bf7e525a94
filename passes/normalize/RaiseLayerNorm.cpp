#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/normalize/Matchers.h"
#include "passes/normalize/Passes.h"

#define DEBUG_TYPE "normalize-raise-layer-norm"

namespace dsc {
#define GEN_PASS_DEF_RAISELAYERNORMPASS
#include "passes/normalize/Passes.h.inc"
} // namespace dsc

using namespace dsc;
using namespace mlir;

namespace {

/// `(input - mean(input)) / sqrt(variance + epsilon)`, then `* scale + bias`.
class LayerNormMatcher {
public:
  LayerNormMatcher(Operation *quotient, KnownValues &known)
      : root(quotient), known(known) {}

  /// Whether `root` divides what is left of a row without its mean by the
  /// row's standard deviation.
  bool match();
  /// Why a root that comes close does not match; "" for any other root.
  StringRef getReason() const { return reason; }
  /// Takes up scale and bias behind the quotient, and builds the operation.
  void replace(OpBuilder &builder);

private:
  bool matchQuotient(Value dividend, Value divisor);
  bool matchProduct(Value dividend, Value factor);
  bool matchVariance(Value variance);
  bool matchCentred(Value value);
  Value absorb(StringRef mnemonic);

  Operation *root;
  KnownValues &known;
  Value input;
  double epsilon = 0;
  StringRef reason;
};

} // namespace

/// The value whose square is `square`.
static Value matchSquare(Value square, KnownValues &known) {
  if (auto product = definedBy<nn::MulOp>(square))
    return product.getLhs() == product.getRhs() ? product.getLhs() : Value();
  auto power = definedBy<nn::PowOp>(square);
  return power && known.isSplat(power.getRhs(), 2) ? power.getLhs() : Value();
}

/// The value whose square root `root` is.
static Value matchRoot(Value root, KnownValues &known) {
  if (auto op = definedBy<nn::SqrtOp>(root))
    return op.getInput();
  auto power = definedBy<nn::PowOp>(root);
  return power && known.isSplat(power.getRhs(), 0.5) ? power.getLhs() : Value();
}

/// The value by whose square root a product with `factor` divides.
static Value matchReciprocalRoot(Value factor, KnownValues &known) {
  if (auto op = definedBy<nn::ReciprocalOp>(factor))
    return matchRoot(skipUnitReshapes(op.getInput()), known);
  if (auto op = definedBy<nn::DivOp>(factor))
    return known.isSplat(op.getLhs(), 1)
               ? matchRoot(skipUnitReshapes(op.getRhs()), known)
               : Value();
  auto power = definedBy<nn::PowOp>(factor);
  return power && known.isSplat(power.getRhs(), -0.5) ? power.getLhs()
                                                      : Value();
}

/// Sets `input` if `value` is a tensor without the mean of its rows.
bool LayerNormMatcher::matchCentred(Value value) {
  auto difference = definedBy<nn::SubOp>(value);
  if (!difference)
    return false;
  Value rows = skipRowBroadcast(difference.getRhs());
  Value averaged = rows ? matchRowMean(rows, known) : Value();
  if (!averaged || averaged != difference.getLhs() ||
      (input && input != averaged))
    return false;
  input = averaged;
  return true;
}

bool LayerNormMatcher::matchVariance(Value variance) {
  auto sum = definedBy<nn::AddOp>(skipUnitReshapes(variance));
  if (!sum)
    return false;
  for (auto [squares, number] : bothOrders(sum)) {
    std::optional<double> splat = known.getSplat(number);
    if (!splat)
      continue;
    Value averaged = matchRowMean(squares, known);
    Value centred = averaged ? matchSquare(averaged, known) : Value();
    if (!centred || !matchCentred(centred)) {
      reason = "what is under the root is not the variance of the row";
      return false;
    }
    epsilon = *splat;
    if (epsilon >= 0)
      return true;
    reason = "the number added to the variance is negative";
    return false;
  }
  return false;
}

bool LayerNormMatcher::matchQuotient(Value dividend, Value divisor) {
  if (!matchCentred(dividend))
    return false;
  Value rows = skipRowBroadcast(divisor);
  Value variance = rows ? matchRoot(skipUnitReshapes(rows), known) : Value();
  return variance && matchVariance(variance);
}

bool LayerNormMatcher::matchProduct(Value dividend, Value factor) {
  if (!matchCentred(dividend))
    return false;
  Value rows = skipRowBroadcast(factor);
  Value variance =
      rows ? matchReciprocalRoot(skipUnitReshapes(rows), known) : Value();
  return variance && matchVariance(variance);
}

bool LayerNormMatcher::match() {
  if (isa<nn::DivOp>(root))
    return matchQuotient(root->getOperand(0), root->getOperand(1));
  if (isa<nn::MulOp>(root))
    for (auto [dividend, factor] : bothOrders(root)) {
      input = {};
      if (matchProduct(dividend, factor))
        return true;
    }
  return false;
}

/// If the only use of the normalised rows so far is an operation `mnemonic`
/// with a vector that is the same for each row: moves on to its result and
/// returns the vector.
Value LayerNormMatcher::absorb(StringRef mnemonic) {
  Value result = root->getResult(0);
  if (!result.hasOneUse())
    return {};
  Operation *user = *result.user_begin();
  if (user->getName().getStringRef() != mnemonic)
    return {};
  Value other = user->getOperand(user->getOperand(0) == result ? 1 : 0);
  if (!isRowVector(other))
    return {};
  root = user;
  return other;
}

void LayerNormMatcher::replace(OpBuilder &builder) {
  RankedTensorType type = typeOf(root->getResult(0));
  Value scale = absorb(nn::MulOp::getOperationName());
  Value bias = absorb(nn::AddOp::getOperationName());
  builder.setInsertionPoint(root);
  scale = scale ? getRowVector(builder, scale)
                : nn::createSplat(builder, root->getLoc(),
                                  type.clone({type.getShape().back()}), 1);
  if (bias)
    bias = getRowVector(builder, bias);
  remarkRaised(root, nn::LayerNormOp::getOperationName());
  auto op = nn::LayerNormOp::create(builder, root->getLoc(), input, scale, bias,
                                    builder.getF64FloatAttr(epsilon));
  root->getResult(0).replaceAllUsesWith(op.getResult());
}

namespace {
struct RaiseLayerNormPass
    : dsc::impl::RaiseLayerNormPassBase<RaiseLayerNormPass> {
  using RaiseLayerNormPassBase::RaiseLayerNormPassBase;

  void runOnOperation() override {
    KnownValues known(getOperation());
    OpBuilder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (Block &block : function.getBody()) {
        for (Operation &op : block) {
          if (!isa<nn::DivOp, nn::MulOp>(op) || op.use_empty())
            continue;
          LayerNormMatcher matcher(&op, known);
          if (matcher.match())
            matcher.replace(builder);
          else if (!matcher.getReason().empty())
            remarkNotRaised(&op, nn::LayerNormOp::getOperationName(),
                            matcher.getReason());
        }
        eraseUnused(block);
      }
    }
  }
};
} // namespace
