/// Learning-rate schedules, as IR over the number of applied updates.

#ifndef DSC_PASSES_DIFFERENTIATE_LEARNINGRATE_H
#define DSC_PASSES_DIFFERENTIATE_LEARNINGRATE_H

#include "passes/differentiate/Passes.h"
#include "passes/differentiate/States.h"
#include "passes/differentiate/TensorBuilder.h"

namespace dsc {

/// One schedule: what it reads from the host, and its formula. In the formulas
/// u counts the updates that were applied before this one, w is
/// `dsc.warmup_steps`, T is `dsc.total_steps`.
class LearningRate {
public:
  /// Reports at `loc` when the kind or the shape of the warm-up is unknown.
  static mlir::FailureOr<LearningRate>
  create(const AttachOptimizerPassOptions &options, mlir::Location loc);

  /// Declares the settings that the formula reads.
  void declareSettings(StateDeclarer &states) const;

  /// The rate of this update; `applied` is u. All in f64.
  mlir::Value build(TensorBuilder &t, mlir::Value applied) const;

  /// Adam's first beta in this update; null if the schedule does not move it.
  mlir::Value buildBeta1(TensorBuilder &t, mlir::Value applied) const;

private:
  enum class Kind {
    Constant,
    Linear,
    Cosine,
    WarmupLR,
    WarmupDecayLR,
    WarmupCosineLR,
    OneCycle,
    LRRangeTest
  };
  LearningRate(Kind kind, const AttachOptimizerPassOptions &options)
      : kind(kind), options(options) {}

  mlir::Value buildTransformers(TensorBuilder &t, mlir::Value applied) const;
  mlir::Value buildDeepSpeed(TensorBuilder &t, mlir::Value applied) const;
  mlir::Value buildOneCycle(TensorBuilder &t, mlir::Value applied) const;
  mlir::Value buildRangeTest(TensorBuilder &t, mlir::Value applied) const;

  Kind kind;
  AttachOptimizerPassOptions options;
};

} // namespace dsc

#endif // DSC_PASSES_DIFFERENTIATE_LEARNINGRATE_H
