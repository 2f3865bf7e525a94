#include "passes/schedule/Recompute.h"

#include "dialects/nn/NnOps.h"
#include "dialects/zero/ZeroOps.h"
#include "passes/analysis/StateAccess.h"
#include "passes/analysis/TrainingStep.h"
#include "passes/schedule/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/DenseSet.h"

namespace dsc {
#define GEN_PASS_DEF_RECOMPUTEPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// The life of a group's gathered tensors.
struct Gather {
  zero::GatherStartOp start;
  zero::GatherAwaitOp await;
  zero::ReleaseOp release;

  bool isAliveAt(Operation *op) const {
    return await->isBeforeInBlock(op) && op->isBeforeInBlock(release);
  }
};

class Recomputer {
public:
  Recomputer(train::EntryOp entry, bool explain)
      : entry(entry), explain(explain) {}

  void run();

private:
  void collectGathers();
  void collectUses(Value value, SmallVectorImpl<OpOperand *> &uses) const;
  void recompute(nn::FusionOp region);
  Value getAlive(Value value, Operation *at);
  zero::GatherAwaitOp getGather(zero::GatherAwaitOp forward, Operation *at);
  zero::GatherAwaitOp gatherAgain(zero::GatherAwaitOp forward, Operation *at);
  void eraseDead(ArrayRef<nn::FusionOp> regions);

  train::EntryOp entry;
  bool explain;
  Operation *forwardEnd = nullptr;
  /// By group, in program order.
  llvm::DenseMap<StringAttr, SmallVector<Gather, 2>> gathers;
};

struct RecomputePass : dsc::impl::RecomputePassBase<RecomputePass> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<train::EntryOp>())
      recomputeRegions(entry);
  }
};

} // namespace

void dsc::recomputeRegions(train::EntryOp entry, bool explain) {
  Recomputer(entry, explain).run();
}

void Recomputer::run() {
  forwardEnd = findForwardEnd(entry);
  SmallVector<nn::FusionOp> regions;
  for (auto region : entry.getBody().front().getOps<nn::FusionOp>())
    if (region->removeAttr(kRecomputeAttr) && forwardEnd &&
        region->isBeforeInBlock(forwardEnd))
      regions.push_back(region);
  if (regions.empty())
    return;
  collectGathers();
  // From the last to the first: all copies that use a region's results stand
  // when its own place is looked for.
  for (nn::FusionOp region : llvm::reverse(regions))
    recompute(region);
  eraseDead(regions);
}

void Recomputer::collectGathers() {
  for (auto await : entry.getBody().front().getOps<zero::GatherAwaitOp>()) {
    auto start = await.getToken().getDefiningOp<zero::GatherStartOp>();
    zero::ReleaseOp release;
    for (Operation *user : await->getUsers())
      if (auto found = dyn_cast<zero::ReleaseOp>(user))
        release = found;
    if (start && release)
      gathers[start.getGroupAttr().getAttr()].push_back(
          {start, await, release});
  }
}

/// The uses of `value` in backward, directly or through views.
void Recomputer::collectUses(Value value,
                             SmallVectorImpl<OpOperand *> &uses) const {
  for (OpOperand &use : value.getUses()) {
    if (isView(use.getOwner()))
      collectUses(use.getOwner()->getResult(0), uses);
    else if (forwardEnd->isBeforeInBlock(use.getOwner()))
      uses.push_back(&use);
  }
}

/// Makes `value`, a view or a chain of them over a value that `mapping` knows,
/// of what it is mapped to.
static Value rebuild(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *view = value.getDefiningOp();
  rebuild(builder, view->getOperand(0), mapping);
  return builder.clone(*view, mapping)->getResult(0);
}

/// Erases regions that forward itself never used, and views that nothing uses
/// any more.
void Recomputer::eraseDead(ArrayRef<nn::FusionOp> regions) {
  llvm::DenseSet<Operation *> recomputed(regions.begin(), regions.end());
  Block &block = entry.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && (isView(&op) || recomputed.contains(&op)))
      op.erase();
}

void Recomputer::recompute(nn::FusionOp region) {
  SmallVector<OpOperand *> uses;
  for (Value result : region.getResults())
    collectUses(result, uses);
  if (uses.empty())
    return;
  // Use lists have no useful order.
  llvm::sort(uses, [](OpOperand *a, OpOperand *b) {
    if (a->getOwner() != b->getOwner())
      return a->getOwner()->isBeforeInBlock(b->getOwner());
    return a->getOperandNumber() < b->getOperandNumber();
  });

  OpBuilder builder(uses.front()->getOwner());
  Operation *copy = builder.clone(*region);
  for (OpOperand &operand : copy->getOpOperands())
    operand.set(getAlive(operand.get(), copy));
  IRMapping mapping;
  mapping.map(region.getResults(), copy->getResults());
  for (OpOperand *use : uses)
    use->set(rebuild(builder, use->get(), mapping));
}

/// What has the bits of `value` where `at` stands.
Value Recomputer::getAlive(Value value, Operation *at) {
  Value root = value;
  while (root.getDefiningOp() && isView(root.getDefiningOp()))
    root = root.getDefiningOp()->getOperand(0);
  auto await = root.getDefiningOp<zero::GatherAwaitOp>();
  if (!await)
    return value;
  zero::GatherAwaitOp alive = getGather(await, at);
  if (alive == await)
    return value;
  IRMapping mapping;
  mapping.map(await.getResults(), alive.getResults());
  OpBuilder builder(at);
  return rebuild(builder, value, mapping);
}

/// A gather of the tensors of `forward` that are alive where `at` stands. Steps
/// write no parameter, so all of them give the same bits.
zero::GatherAwaitOp Recomputer::getGather(zero::GatherAwaitOp forward,
                                          Operation *at) {
  auto start = forward.getToken().getDefiningOp<zero::GatherStartOp>();
  if (!start)
    return forward;
  Gather *before = nullptr, *behind = nullptr;
  for (Gather &gather : gathers[start.getGroupAttr().getAttr()]) {
    if (gather.isAliveAt(at))
      return gather.await;
    if (at->isBeforeInBlock(gather.await)) {
      if (!behind || gather.await->isBeforeInBlock(behind->await))
        behind = &gather;
    } else if (forwardEnd->isBeforeInBlock(gather.await)) {
      if (!before || before->await->isBeforeInBlock(gather.await))
        before = &gather;
    }
  }
  if (behind) {
    if (at->isBeforeInBlock(behind->start))
      behind->start->moveBefore(at);
    behind->await->moveBefore(at);
    return behind->await;
  }
  if (before) {
    before->release->moveAfter(at);
    return before->await;
  }
  return gatherAgain(forward, at);
}

zero::GatherAwaitOp Recomputer::gatherAgain(zero::GatherAwaitOp forward,
                                            Operation *at) {
  auto first = forward.getToken().getDefiningOp<zero::GatherStartOp>();
  OpBuilder builder(at);
  Location loc = at->getLoc();
  auto start = zero::GatherStartOp::create(
      builder, loc, first.getType(), first.getGroupAttr(), first.getAxisAttr());
  auto await = zero::GatherAwaitOp::create(
      builder, loc, forward.getResultTypes(), start.getToken());
  builder.setInsertionPointAfter(at);
  auto release = zero::ReleaseOp::create(builder, loc, first.getGroupAttr(),
                                         await.getResults());
  gathers[first.getGroupAttr().getAttr()].push_back({start, await, release});
  if (explain)
    remark::missed(
        loc, remark::RemarkOpts::name("GatheredAgain").category("schedule"))
        << "backward gathers a group for recomputation alone"
        << remark::metric("group", first.getGroup());
  return await;
}
