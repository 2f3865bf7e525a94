#include "dialects/train/TrainOps.h"
#include "passes/schedule/Passes.h"

#include "mlir/IR/Remarks.h"

namespace dsc {
#define GEN_PASS_DEF_MARKOFFLOADEDPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {
struct MarkOffloadedPass : dsc::impl::MarkOffloadedPassBase<MarkOffloadedPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    int64_t count = 0, bytes = 0;
    for (auto state : module.getOps<train::StateOp>()) {
      if (state.getKind() != train::StateKind::Moment)
        continue;
      state.setOffloaded(true);
      ++count;
      bytes += state.getType().getNumElements() *
               llvm::divideCeil(state.getType().getElementTypeBitWidth(), 8);
    }
    if (count == 0) {
      module.emitWarning("offloading saves nothing: the optimizer has no state "
                         "of its own");
      return;
    }
    remark::passed(module.getLoc(),
                   remark::RemarkOpts::name("Offloaded").category("schedule"))
        << (Twine(count) + " states of the optimizer, of " + Twine(bytes) +
            " bytes over all ranks, lie outside of memory")
               .str();
  }
};
} // namespace
