#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/normalize/Matchers.h"
#include "passes/normalize/Passes.h"

#define DEBUG_TYPE "normalize-raise-softmax"

namespace dsc {
#define GEN_PASS_DEF_RAISESOFTMAXPASS
#include "passes/normalize/Passes.h.inc"
} // namespace dsc

using namespace dsc;
using namespace mlir;

/// `shifted`, or `x` if that is `x - max(x)`: a shift of a row changes neither
/// its softmax nor the logarithm of it.
static Value removeShift(Value shifted) {
  auto difference = definedBy<nn::SubOp>(shifted);
  if (!difference)
    return shifted;
  Value rows = skipRowBroadcast(difference.getRhs());
  Value input = rows ? matchRowReduction<nn::ReduceMaxOp>(rows) : Value();
  return input && input == difference.getLhs() ? input : shifted;
}

/// The tensor whose exponentials `value` adds along its last dimension.
static Value matchSumOfExp(Value value) {
  auto exp = definedBy<nn::ExpOp>(matchRowReduction<nn::ReduceSumOp>(value));
  return exp ? exp.getInput() : Value();
}

namespace {

/// What an operation that is a softmax or the logarithm of one is taken of.
class SoftmaxMatcher {
public:
  explicit SoftmaxMatcher(KnownValues &known) : known(known) {}

  /// exp(x) / sum(exp(x)), or exp(x) * (1 / sum(exp(x))).
  Value matchSoftmax(Operation *op);
  /// x - log(sum(exp(x))), also with the maximum taken out of the sum and put
  /// back behind it, and log(softmax(x)).
  Value matchLogSoftmax(Operation *op);
  /// Why an operation that comes close does not match; else "".
  StringRef getReason() const { return reason; }

private:
  Value matchQuotient(Value dividend, Value sums);

  KnownValues &known;
  StringRef reason;
};

} // namespace

Value SoftmaxMatcher::matchQuotient(Value dividend, Value sums) {
  auto exp = definedBy<nn::ExpOp>(dividend);
  Value summed = sums ? matchSumOfExp(sums) : Value();
  if (!exp || !summed)
    return {};
  if (summed == exp.getInput())
    return removeShift(summed);
  reason = "it is divided by a sum over something else";
  return {};
}

Value SoftmaxMatcher::matchSoftmax(Operation *op) {
  if (isa<nn::DivOp>(op))
    return matchQuotient(op->getOperand(0),
                         skipRowBroadcast(op->getOperand(1)));
  if (!isa<nn::MulOp>(op))
    return {};
  for (auto [dividend, factor] : bothOrders(op)) {
    Value rows = skipRowBroadcast(factor);
    auto reciprocal = rows ? definedBy<nn::ReciprocalOp>(skipUnitReshapes(rows))
                           : nn::ReciprocalOp();
    auto quotient =
        rows ? definedBy<nn::DivOp>(skipUnitReshapes(rows)) : nn::DivOp();
    Value sums;
    if (reciprocal)
      sums = reciprocal.getInput();
    else if (quotient && known.isSplat(quotient.getLhs(), 1))
      sums = quotient.getRhs();
    if (Value input = matchQuotient(dividend, sums))
      return input;
  }
  return {};
}

Value SoftmaxMatcher::matchLogSoftmax(Operation *op) {
  if (auto log = dyn_cast<nn::LogOp>(op)) {
    auto softmax = definedBy<nn::SoftmaxOp>(log.getInput());
    if (softmax && int64_t(softmax.getDim()) == softmax.getType().getRank() - 1)
      return softmax.getInput();
    return {};
  }
  auto difference = dyn_cast<nn::SubOp>(op);
  Value rows = difference ? skipRowBroadcast(difference.getRhs()) : Value();
  if (!rows)
    return {};
  rows = skipUnitReshapes(rows);
  if (auto log = definedBy<nn::LogOp>(rows))
    return matchSumOfExp(log.getInput()) == difference.getLhs()
               ? removeShift(difference.getLhs())
               : Value();
  auto sum = definedBy<nn::AddOp>(rows);
  if (!sum)
    return {};
  for (auto [logarithm, maximum] : bothOrders(sum)) {
    auto log = definedBy<nn::LogOp>(skipUnitReshapes(logarithm));
    Value shifted = log ? matchSumOfExp(log.getInput()) : Value();
    Value input = shifted ? removeShift(shifted) : Value();
    if (input && input != shifted && input == difference.getLhs() &&
        matchRowReduction<nn::ReduceMaxOp>(maximum) == input)
      return input;
  }
  return {};
}

/// Puts an operation along the last dimension in the place of `op`.
template <typename OpTy>
static void replaceBy(Operation *op, Value input, OpBuilder &builder) {
  builder.setInsertionPoint(op);
  remarkRaised(op, OpTy::getOperationName());
  op->getResult(0).replaceAllUsesWith(
      OpTy::create(builder, op->getLoc(), input.getType(), input,
                   static_cast<uint64_t>(typeOf(input).getRank() - 1)));
}

namespace {
struct RaiseSoftmaxPass : dsc::impl::RaiseSoftmaxPassBase<RaiseSoftmaxPass> {
  using RaiseSoftmaxPassBase::RaiseSoftmaxPassBase;

  void runOnOperation() override {
    KnownValues known(getOperation());
    OpBuilder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (Block &block : function.getBody()) {
        for (Operation &op : block) {
          if (op.use_empty())
            continue;
          SoftmaxMatcher matcher(known);
          if (Value input = matcher.matchSoftmax(&op))
            replaceBy<nn::SoftmaxOp>(&op, input, builder);
          else if (Value input = matcher.matchLogSoftmax(&op))
            replaceBy<nn::LogSoftmaxOp>(&op, input, builder);
          else if (!matcher.getReason().empty())
            remarkNotRaised(&op, nn::SoftmaxOp::getOperationName(),
                            matcher.getReason());
        }
        eraseUnused(block);
      }
    }
  }
};
} // namespace
