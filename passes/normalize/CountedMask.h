#ifndef DSC_PASSES_NORMALIZE_COUNTEDMASK_H
#define DSC_PASSES_NORMALIZE_COUNTEDMASK_H

#include "mlir/IR/Value.h"
#include <optional>

namespace dsc {

/// Truth values of a matrix that are a comparison of its row and column
/// numbers: in row i and column j, `j - i <= bound`, or the opposite where
/// `inverted`. Recognised by form, and so at any size.
struct CountedMask {
  int64_t bound;
  bool inverted;

  /// The mask in the last two dimensions of `condition`, if it is the same
  /// along all others.
  static std::optional<CountedMask> match(mlir::Value condition);
};

} // namespace dsc

#endif // DSC_PASSES_NORMALIZE_COUNTEDMASK_H
