#include "passes/normalize/AttentionScores.h"
#include "passes/normalize/CountedMask.h"
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

namespace {
/// Which keys a known mask lets queries see.
struct Visibility {
  bool all = true;
  bool causal = true;
  /// Some query sees no key.
  bool hasEmptyRow = false;
};
} // namespace

/// Inspects a mask of scores with the given numbers of queries and keys.
static Visibility inspect(const KnownTensor &mask, int64_t queries,
                          int64_t keys,
                          llvm::function_ref<bool(double)> isVisible) {
  ArrayRef<int64_t> shape = mask.shape;
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  Visibility result;
  result.causal = rows == queries && columns == keys;
  for (int64_t i = 0, end = mask.elements.size(); i != end; i += columns) {
    int64_t query = i / columns % rows;
    bool isEmpty = true;
    for (int64_t key = 0; key != columns; ++key) {
      bool visible = isVisible(mask.elements[i + key]);
      isEmpty &= !visible;
      result.all &= visible;
      result.causal &= visible == (key <= query + keys - queries);
    }
    result.hasEmptyRow |= isEmpty;
  }
  return result;
}

/// Whether scores `hidden` next to visible ones are as good as none. Where a
/// whole row is hidden, they count among themselves, unless they are -inf.
static bool canHide(const Visibility &seen, double hidden) {
  return hidden == -infinity || !seen.hasEmptyRow;
}

/// What a comparison of row and column numbers lets queries see, where it is
/// true if `visible`, else where it is false. Nothing if that is neither all
/// keys nor the earlier ones.
static std::optional<Visibility> inspectCounted(Value condition, bool visible) {
  std::optional<CountedMask> mask = CountedMask::match(condition);
  if (!mask || mask->inverted == visible)
    return std::nullopt;
  ArrayRef<int64_t> shape = shapeOf(condition);
  int64_t queries = shape[shape.size() - 2], keys = shape.back();
  Visibility result;
  result.all = mask->bound >= keys - 1;
  result.causal = mask->bound == keys - queries;
  result.hasEmptyRow = mask->bound < 0;
  return result.all || result.causal ? std::optional(result) : std::nullopt;
}

/// A mask of 0 and hidden scores is one of visibility; any other is a bias.
bool AttentionScores::addAddend(Value value, double factor) {
  if (auto select = definedBy<nn::SelectOp>(skipBatchBroadcast(value))) {
    std::optional<double> onTrue = known.getSplat(select.getOnTrue());
    std::optional<double> onFalse = known.getSplat(select.getOnFalse());
    if (onTrue && onFalse && (*onTrue == 0) != (*onFalse == 0)) {
      double hidden = (*onTrue + *onFalse) * factor;
      std::optional<Visibility> seen =
          inspectCounted(select.getCondition(), *onTrue == 0);
      if (seen && hidden <= hiddenScore && canHide(*seen, hidden)) {
        causal |= !seen->all;
        return true;
      }
    }
  }
  ArrayRef<int64_t> shape = shapeOf(value);
  if (std::optional<KnownTensor> mask = known.evaluate(value)) {
    bool isMask = true, isInfinite = true;
    for (double number : mask->elements) {
      double score = number * factor;
      isMask &= number == 0 || score <= hiddenScore;
      isInfinite &= number == 0 || score == -infinity;
    }
    if (isMask) {
      Visibility seen = inspect(*mask, shape[shape.size() - 2], shape.back(),
                                [](double number) { return number == 0; });
      if (seen.all)
        return true;
      if (seen.causal && canHide(seen, isInfinite ? -infinity : hiddenScore)) {
        causal = true;
        return true;
      }
    }
  }
  if (regrouped)
    return fail("a mask has other batch dimensions than softmax");
  addends.push_back({value, factor});
  return true;
}

/// Scores of hidden keys are replaced by the number `hidden`.
bool AttentionScores::addMask(Value condition, bool visible, double hidden) {
  ArrayRef<int64_t> shape = shapeOf(condition);
  std::optional<Visibility> seen = inspectCounted(condition, visible);
  if (!seen)
    if (std::optional<KnownTensor> mask = known.evaluate(condition))
      seen = inspect(*mask, shape[shape.size() - 2], shape.back(),
                     [&](double number) { return (number != 0) == visible; });
  if (seen && seen->all)
    return true;
  if (!(hidden <= hiddenScore))
    return fail("hidden scores are " + Twine(std::to_string(hidden)) +
                ", which lets some of their keys through");
  if (hidden != -infinity && (!seen || !canHide(*seen, hidden)))
    return fail("a query may see no key, and then its hidden scores, which are "
                "not -inf, count");
  if (seen && seen->causal) {
    causal = true;
    return true;
  }
  if (regrouped)
    return fail("a mask has other batch dimensions than softmax");
  masks.push_back({condition, visible});
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
  for (const Mask &mask : masks) {
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
