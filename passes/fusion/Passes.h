// The fusion stage: regions that become one kernel or one library call.

#ifndef DSC_PASSES_FUSION_PASSES_H
#define DSC_PASSES_FUSION_PASSES_H

#include "dialects/nn/NnDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dsc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/fusion/Passes.h.inc"

struct FusionOptions {
  /// Whether operations share regions; without, each has its own.
  bool fuse = true;
};

/// Forms regions and checks the exit form.
void buildFusionPipeline(mlir::OpPassManager &manager,
                         const FusionOptions &options);

/// Makes the stage known to dsc-opt as `dsc-fusion`.
void registerFusionPipeline();

} // namespace dsc

#endif // DSC_PASSES_FUSION_PASSES_H
