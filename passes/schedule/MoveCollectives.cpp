#include "passes/schedule/MoveCollectives.h"

#include "dialects/nn/NnOps.h"
#include "passes/schedule/EntryOrder.h"
#include "passes/schedule/Passes.h"

namespace dsc {
#define GEN_PASS_DEF_MOVECOLLECTIVESPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {
struct MoveCollectivesPass
    : dsc::impl::MoveCollectivesPassBase<MoveCollectivesPass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      moveCollectives(entry, states);
  }
};
} // namespace

static int64_t takeDistance(Operation *start, StringRef name) {
  auto distance = dyn_cast_or_null<IntegerAttr>(start->removeAttr(name));
  return distance ? std::max<int64_t>(distance.getInt(), 0) : 0;
}

/// Moves the views of `value` that stand ahead of it behind it.
static void moveViewsBehind(Value value, Operation *&last) {
  for (Operation *user : value.getUsers())
    if (isView(user)) {
      if (user->isBeforeInBlock(last)) {
        moveAfter(user, last);
        last = user;
      }
      moveViewsBehind(user->getResult(0), last);
    }
}

/// Moves the await of tensors right before their first use.
static void moveToFirstUse(Operation *await, Operation *dependent) {
  Operation *first = dependent;
  for (Value tensor : await->getResults())
    if (Operation *use = findFirstUse(tensor);
        use && use->isBeforeInBlock(first))
      first = use;
  moveBefore(await, first);
  Operation *last = await;
  for (Value tensor : await->getResults())
    moveViewsBehind(tensor, last);
}

static void moveToLastUse(zero::ReleaseOp release) {
  Operation *last = nullptr;
  for (Value tensor : release.getTensors()) {
    Operation *use = findLastUse(tensor);
    if (!use)
      use = tensor.getDefiningOp();
    if (use && (!last || last->isBeforeInBlock(use)))
      last = use;
  }
  if (last)
    moveAfter(release, last);
}

/// Moves `start` ahead of `regions` regions ahead of its await, and of starts
/// behind the same region that are awaited later.
static void moveAhead(Operation *start, Operation *await, int64_t regions,
                      Operation *dependence) {
  Operation *place = await;
  for (Operation *op = await->getPrevNode(); op && op != dependence;
       op = op->getPrevNode()) {
    if (isa<nn::FusionOp>(op)) {
      if (regions-- == 0)
        break;
      place = op;
    } else if (regions == 0 && op != start && isStart(op) &&
               await->isBeforeInBlock(getAwait(op))) {
      place = op;
    }
  }
  moveBefore(start, place);
}

/// Moves `await` behind the `regions`-th region behind its start.
static void moveBehind(Operation *start, Operation *await, int64_t regions,
                       Operation *dependent) {
  Operation *place = start;
  for (Operation *op = start->getNextNode(); op != dependent && regions;
       op = op->getNextNode()) {
    if (!isa<nn::FusionOp>(op))
      continue;
    place = op;
    --regions;
  }
  // Fewer regions stand ahead of the end than the start asks for.
  if (regions)
    moveBefore(await, dependent);
  else
    moveAfter(await, place);
}

void dsc::moveCollectives(train::EntryOp entry, const StateMap &states) {
  Block &block = entry.getBody().front();
  EntryOrder order(entry, states);
  SmallVector<Operation *> starts;
  for (Operation &op : block)
    if (isStart(&op) && getAwait(&op))
      starts.push_back(&op);

  for (auto release :
       llvm::make_early_inc_range(block.getOps<zero::ReleaseOp>()))
    moveToLastUse(release);
  // First all awaits of tensors, whose order is that of the starts.
  SmallVector<std::pair<Operation *, int64_t>> gathers;
  for (Operation *start : starts) {
    Operation *await = getAwait(start);
    int64_t ahead = takeDistance(start, kAheadAttr);
    int64_t behind = takeDistance(start, kBehindAttr);
    if (Operation *dependence = order.findDependence(start);
        start->getNumOperands() != 0 || await->getNumResults() == 0) {
      if (dependence)
        moveAfter(start, dependence);
      else
        moveBefore(start, &block.front());
    }
    if (await->getNumResults() == 0) {
      moveBehind(start, await, behind, order.findDependent(start));
      continue;
    }
    moveToFirstUse(await, order.findDependent(start));
    if (start->getNumOperands() == 0)
      gathers.push_back({start, ahead});
  }
  llvm::sort(gathers, [](auto &a, auto &b) {
    return getAwait(a.first)->isBeforeInBlock(getAwait(b.first));
  });
  for (auto [start, ahead] : gathers)
    moveAhead(start, getAwait(start), ahead, order.findDependence(start));
}
