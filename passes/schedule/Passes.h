// The schedule stage: when exchanges begin and end, and which buffers are
// written in place. It changes no value: off gives the same bits as on.

#ifndef DSC_PASSES_SCHEDULE_PASSES_H
#define DSC_PASSES_SCHEDULE_PASSES_H

#include "dialects/zero/ZeroDialect.h"
#include "passes/analysis/CostModel.h"
#include "passes/analysis/Placement.h"
#include "passes/schedule/JoinCollectives.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <optional>

namespace dsc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/schedule/Passes.h.inc"

/// Bounds by counts of elements, under DeepSpeed's names; unset: none.
struct ElementBounds {
  /// Most that is gathered ahead of its use at once; 0: nothing is.
  std::optional<int64_t> prefetchElements;
  /// Most gathered elements alive at once, where the model needs no more.
  std::optional<int64_t> liveElements;
  /// A group stays gathered only if fewer elements than this are used until its
  /// next use; 0: none does.
  std::optional<int64_t> reuseDistance;
};

struct ScheduleOptions {
  /// Off leaves what correctness needs: the async form in program order.
  bool enabled = true;
  /// Which activations are computed again in backward, rather than kept.
  enum class Recompute { None, Blocks, Auto };
  Recompute recompute = Recompute::None;
  /// Whether exchanges may run beside computation.
  bool overlap = true;
  ElementBounds bounds;
  /// Most bytes of state and arena of one rank of `cost.ranks`.
  std::optional<uint64_t> memoryLimit;
  /// What decisions are tried against.
  CostModel cost = CostModel::getDefault();
  ArenaOptions arena;
  /// For tests: decisions by chance, of this seed, instead of by cost.
  std::optional<uint64_t> randomSeed;
  /// Which states of the optimizer lie outside of memory.
  enum class Offload { None, All, Auto };
  Offload offload = Offload::None;
  MessageBounds messages = {131072, 131072};
};

/// The pass `schedule-decide` for a cost model, which pass options cannot give.
std::unique_ptr<mlir::Pass> createDecidePass(const ScheduleOptions &options);

/// Makes the async form, optimises it if enabled, and checks the exit form.
void buildSchedulePipeline(mlir::OpPassManager &manager,
                           const ScheduleOptions &options);

/// Makes the stage known to dsc-opt as `dsc-schedule`.
void registerSchedulePipeline();

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_PASSES_H
