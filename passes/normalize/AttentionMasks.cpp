#include "passes/normalize/AttentionMasks.h"
#include "passes/normalize/CountedMask.h"
#include "passes/normalize/Matchers.h"

using namespace dsc;
using namespace mlir;

bool Visibility::canHide() const {
  return hidden == -std::numeric_limits<double>::infinity() ||
         (hidden <= AttentionMasks::hiddenScore && !hasEmptyRow);
}

/// Inspects the elements of a mask of scores of the shape `scores`.
static Visibility inspect(const KnownTensor &mask, ArrayRef<int64_t> scores,
                          llvm::function_ref<bool(double)> isVisible) {
  int64_t queries = scores[scores.size() - 2], keys = scores.back();
  ArrayRef<int64_t> shape = mask.shape;
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  Visibility result;
  // Equal rows or columns are there once, and are no triangle.
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

/// The same by form, at any size. Nothing if the mask shows neither all keys
/// nor the earlier ones.
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

std::optional<Visibility>
AttentionMasks::lookAtCondition(Value condition, bool visible, double hidden) {
  auto [it, isNew] =
      conditions.try_emplace({condition.getAsOpaquePointer(), visible});
  std::optional<Visibility> &seen = it->second;
  if (isNew && !(seen = inspectCounted(condition, visible)))
    if (std::optional<KnownTensor> mask = known.evaluate(condition))
      seen = inspect(*mask, shapeOf(condition),
                     [&](double number) { return (number != 0) == visible; });
  if (!seen)
    return std::nullopt;
  Visibility result = *seen;
  result.hidden = hidden;
  return result;
}

std::optional<Visibility> AttentionMasks::lookAtAddend(Value value,
                                                       double factor) {
  auto [it, isNew] = addends.try_emplace({value.getAsOpaquePointer(), factor});
  if (isNew)
    it->second = inspectAddend(value, factor);
  return it->second;
}

std::optional<Visibility> AttentionMasks::inspectAddend(Value value,
                                                        double factor) {
  // 0 or a number, as a comparison of row and column numbers tells.
  if (auto select = definedBy<nn::SelectOp>(skipBatchBroadcast(value))) {
    std::optional<double> onTrue = known.getSplat(select.getOnTrue());
    std::optional<double> onFalse = known.getSplat(select.getOnFalse());
    if (onTrue && onFalse && (*onTrue == 0) != (*onFalse == 0)) {
      double hidden = (*onTrue + *onFalse) * factor;
      std::optional<Visibility> seen =
          inspectCounted(select.getCondition(), *onTrue == 0);
      if (seen && hidden <= hiddenScore) {
        seen->hidden = hidden;
        return seen;
      }
    }
  }
  std::optional<KnownTensor> mask = known.evaluate(value);
  if (!mask)
    return std::nullopt;
  double hidden = -std::numeric_limits<double>::infinity();
  for (double number : mask->elements) {
    if (number == 0)
      continue;
    if (!(number * factor <= hiddenScore))
      return std::nullopt;
    hidden = std::max(hidden, number * factor);
  }
  Visibility seen =
      inspect(*mask, shapeOf(value), [](double number) { return number == 0; });
  seen.hidden = hidden;
  return seen;
}
