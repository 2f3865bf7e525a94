/// The precision stage: which type each tensor has.

#ifndef DSC_PASSES_PRECISION_PASSES_H
#define DSC_PASSES_PRECISION_PASSES_H

#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <string>

namespace dsc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/precision/Passes.h.inc"

struct PrecisionOptions {
  /// f32 (types as in the model) or f64 (no f32 left; for tests).
  std::string policy = "f32";
};

/// Appends the passes of the stage, its verifier last.
void buildPrecisionPipeline(mlir::OpPassManager &pm,
                            const PrecisionOptions &options);

/// Registers `dsc-precision`.
void registerPrecisionPipeline();

} // namespace dsc

#endif // DSC_PASSES_PRECISION_PASSES_H
