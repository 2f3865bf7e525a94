/// The weight of the batch since the last update, and what follows from it.

#ifndef DSC_PASSES_DIFFERENTIATE_BATCHWEIGHT_H
#define DSC_PASSES_DIFFERENTIATE_BATCHWEIGHT_H

#include "passes/differentiate/TensorBuilder.h"

namespace dsc {

/// Scalars, in f64 but for `isPresent`.
struct BatchWeight {
  /// Reads the weights; `zero` and `one` are those numbers.
  static BatchWeight build(TensorBuilder &t, mlir::Value zero, mlir::Value one);

  /// W, the sum of the weights of all samples.
  mlir::Value weight;
  /// Whether it is not 0.
  mlir::Value isPresent;
  /// The weight, or 1: a divisor that does no harm.
  mlir::Value safe;
  /// The mean gradient is the accumulated one times this, W0 / W: backward
  /// divided by the nominal weight W0 of the batch. A batch without weight has
  /// no gradient, so it is 0.
  mlir::Value gradientScale;
};

} // namespace dsc

#endif // DSC_PASSES_DIFFERENTIATE_BATCHWEIGHT_H
