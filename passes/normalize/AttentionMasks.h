#ifndef DSC_PASSES_NORMALIZE_ATTENTIONMASKS_H
#define DSC_PASSES_NORMALIZE_ATTENTIONMASKS_H

#include "passes/normalize/KnownValues.h"
#include <limits>
#include <map>

namespace dsc {

/// Which keys a mask lets queries see.
struct Visibility {
  bool all = true;
  /// Query i sees the keys up to i + keys - queries, and no others.
  bool causal = true;
  /// Some query sees no key.
  bool hasEmptyRow = false;
  /// The largest score that a hidden key has.
  double hidden = -std::numeric_limits<double>::infinity();

  /// Whether hidden scores next to visible ones are as good as none. Those of a
  /// row that is hidden as a whole count among themselves, unless they are
  /// -inf.
  bool canHide() const;
};

/// Looks at masks of scores [batch.., queries, keys]. Layers share masks, so
/// each value is looked at once; it must not be erased before this is.
class AttentionMasks {
public:
  /// A score of a hidden key. It is far enough below those of visible keys for
  /// its exponential to be 0 in f32 and f64, unless scores differ by 9000.
  static constexpr double hiddenScore = -1e4;

  explicit AttentionMasks(KnownValues &known) : known(known) {}

  /// The mask that replaces scores by `hidden` where `condition` is not
  /// `visible`. Nothing if its elements are not known.
  std::optional<Visibility> lookAtCondition(mlir::Value condition, bool visible,
                                            double hidden);
  /// The mask that `value * factor` is if it is added: 0 for visible keys, and
  /// hidden scores for others. Nothing if it has other numbers, or unknown
  /// ones.
  std::optional<Visibility> lookAtAddend(mlir::Value value, double factor);

private:
  std::optional<Visibility> inspectAddend(mlir::Value value, double factor);

  KnownValues &known;
  std::map<std::pair<void *, bool>, std::optional<Visibility>> conditions;
  std::map<std::pair<void *, double>, std::optional<Visibility>> addends;
};

} // namespace dsc

#endif // DSC_PASSES_NORMALIZE_ATTENTIONMASKS_H
