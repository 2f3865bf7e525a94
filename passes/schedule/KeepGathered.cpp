#include "passes/schedule/KeepGathered.h"

#include "passes/schedule/EntryOrder.h"
#include "passes/schedule/Passes.h"

namespace dsc {
#define GEN_PASS_DEF_KEEPGATHEREDPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {
struct KeepGatheredPass : dsc::impl::KeepGatheredPassBase<KeepGatheredPass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      keepGathered(entry, states);
  }
};
} // namespace

static zero::ReleaseOp getRelease(zero::GatherAwaitOp await) {
  for (Operation *user : await->getUsers())
    if (auto release = dyn_cast<zero::ReleaseOp>(user))
      return release;
  return {};
}

/// Lets users of `await` use `previous`, which then lives as long.
static void replace(zero::GatherStartOp start, zero::GatherAwaitOp await,
                    zero::GatherAwaitOp previous) {
  if (zero::ReleaseOp release = getRelease(previous))
    release.erase();
  await.replaceAllUsesWith(previous.getResults());
  await.erase();
  start.erase();
}

void dsc::keepGathered(train::EntryOp entry, const StateMap &states) {
  EntryOrder order(entry, states);
  llvm::DenseMap<StringAttr, zero::GatherAwaitOp> previous;
  for (auto start : llvm::make_early_inc_range(
           entry.getBody().front().getOps<zero::GatherStartOp>())) {
    auto await = dyn_cast_or_null<zero::GatherAwaitOp>(getAwait(start));
    bool isAnnotated = bool(start->removeAttr(kReuseAttr));
    if (!await)
      continue;
    zero::GatherAwaitOp &kept = previous[start.getGroupAttr().getAttr()];
    Operation *writer = order.findDependence(start);
    if (isAnnotated && kept && (!writer || writer->isBeforeInBlock(kept)))
      replace(start, await, kept);
    else
      kept = await;
  }
}
