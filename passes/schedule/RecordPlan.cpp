#include "passes/analysis/StateBytes.h"
#include "passes/analysis/StepEstimate.h"
#include "passes/schedule/Passes.h"

namespace dsc {
#define GEN_PASS_DEF_RECORDPLANPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

struct RecordPlanPass : dsc::impl::RecordPlanPassBase<RecordPlanPass> {
  using RecordPlanPassBase::RecordPlanPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    StateMap states(module);
    CostModel cost = CostModel::getDefault();
    ArenaOptions options{.maxWorld = maxWorld};
    if (auto most = module->getAttrOfType<IntegerAttr>(zero::kMaxWorldAttrName))
      options.maxWorld = most.getInt();
    Builder builder(&getContext());
    int64_t largest = 0;
    for (auto entry : module.getOps<train::EntryOp>()) {
      FailureOr<StepEstimate> estimate =
          estimateStep(entry, states, cost, options, /*exact=*/true);
      if (failed(estimate))
        return signalPassFailure();
      entry->setAttr(kPlannedArenaAttr,
                     builder.getI64IntegerAttr(estimate->arenaBytes));
      largest = std::max(largest, estimate->arenaBytes);
    }
    if (ranks == 0)
      return;
    std::optional<uint64_t> stateBytes = getStateBytes(module, ranks, options);
    if (!stateBytes) {
      module.emitError("the model's memory on ")
          << ranks << " ranks exceeds 64-bit addresses";
      return signalPassFailure();
    }
    module->setAttr(kPlannedBytesAttr,
                    builder.getI64IntegerAttr(*stateBytes + largest));
  }
};

} // namespace
