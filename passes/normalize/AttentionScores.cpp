#include "passes/normalize/AttentionScores.h"
#include "passes/normalize/Patterns.h"
#include <limits>

using namespace dsc;
using namespace mlir;

static constexpr double infinity = std::numeric_limits<double>::infinity();

bool AttentionScores::fail(const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return false;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// A mask of 0 and hidden scores is one of visibility; any other is a bias.
bool AttentionScores::addAddend(Value value, double factor) {
  std::optional<Visibility> seen = masks.lookAtAddend(value, factor);
  if (seen && seen->all)
    return true;
  if (seen && seen->causal && seen->canHide()) {
    causal = true;
    return true;
  }
  if (regrouped)
    return fail("a mask has other batch dimensions than softmax");
  addends.push_back({value, factor});
  return true;
}

/// Scores of hidden keys are replaced by the number `hidden`.
bool AttentionScores::addMask(Value condition, bool visible, double hidden) {
  std::optional<Visibility> seen =
      masks.lookAtCondition(condition, visible, hidden);
  if (seen && seen->all)
    return true;
  if (!(hidden <= AttentionMasks::hiddenScore))
    return fail("hidden scores are " + Twine(std::to_string(hidden)) +
                ", which lets some of their keys through");
  if (hidden != -infinity && (!seen || !seen->canHide()))
    return fail("a query may see no key, and then its hidden scores, which are "
                "not -inf, count");
  if (seen && seen->causal) {
    causal = true;
    return true;
  }
  if (regrouped)
    return fail("a mask has other batch dimensions than softmax");
  conditions.push_back({condition, visible});
  return true;
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

bool AttentionScores::matchSum(Operation *op, double factor, unsigned depth) {
  double sign = isa<nn::SubOp>(op) ? -1 : 1;
  if (matchTerm(op->getOperand(0), factor, depth))
    return addAddend(op->getOperand(1), factor * sign);
  if (product || isa<nn::SubOp>(op))
    return false;
  return matchTerm(op->getOperand(1), factor, depth) &&
         addAddend(op->getOperand(0), factor);
}

bool AttentionScores::matchSelect(nn::SelectOp op, double factor,
                                  unsigned depth) {
  for (bool visible : {true, false}) {
    Value scores = visible ? op.getOnTrue() : op.getOnFalse();
    Value hidden = visible ? op.getOnFalse() : op.getOnTrue();
    std::optional<double> number = known.getSplat(hidden);
    if (number && matchTerm(scores, factor, depth))
      return addMask(op.getCondition(), visible, *number * factor);
  }
  return false;
}

bool AttentionScores::matchTerm(Value value, double factor, unsigned depth) {
  // Products, masks, biases and scales; more levels than any exporter writes.
  constexpr unsigned maxDepth = 12;
  if (depth == maxDepth)
    return false;
  Scaled scaled = stripScale(value, known);
  factor *= scaled.factor;
  Operation *op = scaled.base.getDefiningOp();
  if (!op)
    return false;
  if (auto matmul = dyn_cast<nn::MatmulOp>(op)) {
    product = matmul;
    scale = factor;
    return true;
  }
  if (isa<nn::AddOp, nn::SubOp>(op))
    return matchSum(op, factor, depth + 1);
  if (auto select = dyn_cast<nn::SelectOp>(op))
    return matchSelect(select, factor, depth + 1);
  if (auto reshape = dyn_cast<nn::ReshapeOp>(op)) {
    Value input = reshape.getInput();
    if (typeOf(input).getRank() < 2 ||
        shapeOf(input).take_back(2) != shapeOf(value).take_back(2))
      return false;
    regrouped = true;
    bool matches = matchTerm(input, factor, depth + 1);
    regrouped = false;
    return matches;
  }
  return false;
}

bool AttentionScores::match(Value scores) {
  bool matches = matchTerm(scores, 1, 0);
  if (!product)
    reason.clear();
  return matches;
}

//===----------------------------------------------------------------------===//
// The bias
//===----------------------------------------------------------------------===//

Value AttentionScores::buildBias(OpBuilder &builder, Location loc) {
  Type element = product.getType().getElementType();
  SmallVector<Value> terms;
  for (const Addend &addend : addends) {
    Value term = removeBroadcast(builder, addend.value);
    if (addend.factor != 1)
      term = nn::MulOp::create(
          builder, loc, term,
          nn::createSplat(builder, loc, typeOf(term), addend.factor));
    terms.push_back(term);
  }
  for (const Mask &mask : conditions) {
    Value condition = removeBroadcast(builder, mask.condition);
    auto type = RankedTensorType::get(shapeOf(condition), element);
    Value visible = nn::createSplat(builder, loc, type, 0);
    Value hidden = nn::createSplat(builder, loc, type, -infinity);
    if (!mask.visible)
      std::swap(visible, hidden);
    terms.push_back(
        nn::SelectOp::create(builder, loc, condition, visible, hidden));
  }
  if (terms.empty())
    return {};
  SmallVector<int64_t> shape(shapeOf(terms.front()));
  for (Value term : terms)
    for (auto [size, other] : llvm::zip_equal(shape, shapeOf(term)))
      size = std::max(size, other);
  Value bias;
  for (Value term : terms) {
    term = broadcastTo(builder, loc, term, shape);
    bias = bias ? nn::AddOp::create(builder, loc, bias, term) : term;
  }
  return bias;
}
