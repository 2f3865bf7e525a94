#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"
#include "passes/analysis/StateAccess.h"
#include "passes/partition/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace dsc {
#define GEN_PASS_DEF_REFRESHPARAMETERSPASS
#include "passes/partition/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

struct RefreshParametersPass
    : dsc::impl::RefreshParametersPassBase<RefreshParametersPass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      if (entry.getKind() == train::EntryKind::Update)
        refreshParameters(entry.getBody().front(), states);
  }

  /// One message a group, once the last of its parts has changed.
  void refreshParameters(Block &block, const StateMap &states) {
    llvm::MapVector<Operation *, zero::WritePartOp> lastWrites;
    for (auto write : block.getOps<zero::WritePartOp>()) {
      StringAttr symbol = write.getSymbolAttr().getAttr();
      if (!states.getParameter(symbol))
        continue;
      zero::GroupOp group = states.getGroupOf(symbol);
      if (group && group.getStage() < 3)
        lastWrites[group] = write;
    }
    for (auto [op, write] : lastWrites) {
      auto group = cast<zero::GroupOp>(op);
      OpBuilder builder(write);
      builder.setInsertionPointAfter(write);
      zero::RefreshOp::create(
          builder, write.getLoc(),
          FlatSymbolRefAttr::get(group.getSymNameAttr()),
          FlatSymbolRefAttr::get(&getContext(), zero::kWorldAxis));
    }
  }
};

} // namespace
