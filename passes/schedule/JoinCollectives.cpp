#include "passes/schedule/JoinCollectives.h"

#include "passes/schedule/EntryOrder.h"
#include "passes/schedule/Passes.h"

#include "mlir/IR/Remarks.h"

namespace dsc {
#define GEN_PASS_DEF_JOINCOLLECTIVESPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// Starts that stand directly behind one another and travel together.
using JoinedStarts = SmallVector<Operation *, 2>;

struct JoinCollectivesPass
    : dsc::impl::JoinCollectivesPassBase<JoinCollectivesPass> {
  using JoinCollectivesPassBase::JoinCollectivesPassBase;

  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      joinCollectives(entry, states, {gatherElements, reduceElements});
  }
};

} // namespace

/// The group that a start exchanges; null for loose values, which travel in one
/// message as it is.
static zero::GroupOp getExchangedGroup(Operation *start,
                                       const StateMap &states) {
  auto collective = dyn_cast<zero::CollectiveOpInterface>(start);
  FlatSymbolRefAttr name =
      collective ? collective.getCollectiveGroup() : FlatSymbolRefAttr();
  return name ? states.getGroup(name.getAttr()) : zero::GroupOp();
}

bool dsc::canJoin(Operation *first, Operation *second, const StateMap &states) {
  if (first->getName() != second->getName())
    return false;
  zero::GroupOp group = getExchangedGroup(first, states);
  zero::GroupOp other = getExchangedGroup(second, states);
  return group && other && group.getType() == other.getType() &&
         cast<zero::CollectiveOpInterface>(first).getCollectiveAxis() ==
             cast<zero::CollectiveOpInterface>(second).getCollectiveAxis();
}

/// Whether `start` may move up to `message`.
static bool canRise(Operation *start, const JoinedStarts &message,
                    const EntryOrder &order) {
  Operation *dependence = order.findDependence(start);
  return !dependence || dependence->isBeforeInBlock(message.front());
}

/// Whether `message` may move down to `start`. Tensors are awaited where they
/// are needed.
static bool canSink(const JoinedStarts &message, Operation *start,
                    const EntryOrder &order) {
  return llvm::all_of(message, [&](Operation *member) {
    Operation *await = getAwait(member);
    bool awaitsStates = await && await->getNumResults() == 0;
    return await && (awaitsStates || start->isBeforeInBlock(await)) &&
           start->isBeforeInBlock(order.findDependent(member));
  });
}

static bool bringTogether(const JoinedStarts &message, Operation *start,
                          const EntryOrder &order) {
  if (canRise(start, message, order)) {
    moveAfter(start, message.back());
    return true;
  }
  if (!canSink(message, start, order))
    return false;
  Operation *last = start;
  for (Operation *member : message) {
    moveBefore(member, start);
    if (Operation *await = getAwait(member); await->isBeforeInBlock(start)) {
      moveAfter(await, last);
      last = await;
    }
  }
  return true;
}

/// Whether `message` and `start` together stay within their bound.
static bool fits(const JoinedStarts &message, Operation *start,
                 const StateMap &states, MessageBounds bounds) {
  int64_t elements = getExchangedGroup(start, states).getElements();
  for (Operation *member : message)
    elements += getExchangedGroup(member, states).getElements();
  return elements <= (isa<zero::GatherStartOp, zero::RefreshStartOp>(start)
                          ? bounds.gatherElements
                          : bounds.reduceElements);
}

void dsc::joinCollectives(train::EntryOp entry, const StateMap &states,
                          MessageBounds bounds, bool explain) {
  Block &block = entry.getBody().front();
  auto isJoined = [](Operation &op) { return op.hasAttr(zero::kJoinAttrName); };
  if (llvm::none_of(block, isJoined))
    return;
  EntryOrder order(entry, states);
  SmallVector<Operation *> starts;
  for (Operation &op : block)
    if (isStart(&op) && isa<zero::CollectiveOpInterface>(op))
      starts.push_back(&op);
  // The last message of each kind.
  SmallVector<JoinedStarts> messages;
  for (Operation *start : starts) {
    JoinedStarts *message =
        llvm::find_if(messages, [&](const JoinedStarts &message) {
          return canJoin(message.back(), start, states);
        });
    if (start->hasAttr(zero::kJoinAttrName)) {
      bool tooLong =
          message != messages.end() && !fits(*message, start, states, bounds);
      if (message != messages.end() && !tooLong &&
          bringTogether(*message, start, order)) {
        message->push_back(start);
        continue;
      }
      start->removeAttr(zero::kJoinAttrName);
      if (explain && !tooLong)
        remark::missed(
            start->getLoc(),
            remark::RemarkOpts::name("NotJoined").category("schedule"))
            << "an exchange does not travel with the one of its kind before "
               "it, which must begin and end elsewhere";
    }
    if (message != messages.end())
      message->assign({start});
    else
      messages.push_back({start});
  }
}
