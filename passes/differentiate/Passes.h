/// The differentiate stage: from `func.func @forward` in normal form to the
/// entries step, step_last, update and eval, and forward if asked for.

#ifndef DSC_PASSES_DIFFERENTIATE_PASSES_H
#define DSC_PASSES_DIFFERENTIATE_PASSES_H

#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <string>

namespace dsc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/differentiate/Passes.h.inc"

/// What is trained and how. The optimizer's part, with the meaning and default
/// of each field, is that of AttachOptimizerPass in Passes.td: texts and flags
/// decide what is compiled; numbers are only the initial values of settings,
/// which the host may change before the first step.
struct DifferentiateOptions : AttachOptimizerPassOptions {
  /// Output to minimise, or one of
  /// cross_entropy(OUT,LABELS[,ignore=N][,shift=1]), mse(OUT,TARGET),
  /// bce_with_logits(OUT,TARGET), sum(OUT). Empty: the only float output with
  /// one element.
  std::string loss;
  /// Make the entries that train: step, step_last, update and eval.
  bool training = true;
  /// Make the entry that only computes the model's outputs.
  bool forward = false;
  /// Make the entry that computes the norms of each layer.
  bool layerNorms = false;
  /// Make the entries that find out where a number stopped being finite.
  bool debugNan = false;
};

/// Appends the passes of the stage, its verifier last.
void buildDifferentiatePipeline(mlir::OpPassManager &pm,
                                const DifferentiateOptions &options);

/// Registers `dsc-differentiate`.
void registerDifferentiatePipeline();

} // namespace dsc

#endif // DSC_PASSES_DIFFERENTIATE_PASSES_H
