#ifndef DSC_PASSES_NORMALIZE_INDEXPROGRESSION_H
#define DSC_PASSES_NORMALIZE_INDEXPROGRESSION_H

#include "mlir/IR/Value.h"
#include <optional>

namespace dsc {

/// Integers that are evenly spaced: `first + i * step` for i below `count`, in
/// row-major order of the tensor that holds them.
struct IndexProgression {
  int64_t first = 0;
  int64_t step = 1;
  int64_t count = 0;

  /// The elements of `indices` if they are constant, or counted by `nn.iota`,
  /// and evenly spaced. Negative elements count from the end of a dimension of
  /// `extent` elements, so that they and others together are not evenly spaced.
  /// One element has the step 1.
  static std::optional<IndexProgression> match(mlir::Value indices,
                                               int64_t extent);

  /// Whether all elements are in [0, extent).
  bool isWithin(int64_t extent) const;
};

} // namespace dsc

#endif // DSC_PASSES_NORMALIZE_INDEXPROGRESSION_H
