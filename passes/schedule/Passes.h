// The schedule stage: when exchanges begin and end, and which buffers are
// written in place. It changes no value: off gives the same bits as on.

#ifndef DSC_PASSES_SCHEDULE_PASSES_H
#define DSC_PASSES_SCHEDULE_PASSES_H

#include "dialects/zero/ZeroDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace dsc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/schedule/Passes.h.inc"

struct ScheduleOptions {
  /// Off leaves what correctness needs: the async form in program order.
  bool enabled = true;
  /// Which activations are computed again in backward, rather than kept.
  enum class Recompute { None, Blocks, Auto };
  Recompute recompute = Recompute::None;
};

/// Makes the async form, optimises it if enabled, and checks the exit form.
void buildSchedulePipeline(mlir::OpPassManager &manager,
                           const ScheduleOptions &options);

/// Makes the stage known to dsc-opt as `dsc-schedule`.
void registerSchedulePipeline();

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_PASSES_H
