#include "passes/schedule/JoinCollectives.h"

#include "passes/schedule/EntryOrder.h"
#include "passes/schedule/Passes.h"

#include "mlir/IR/Remarks.h"

namespace dsc {
#define GEN_PASS_DEF_JOINCOLLECTIVESPASS
#define GEN_PASS_DEF_MARKBUCKETSPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

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
  zero::GroupOp group = getExchangedGroup(first, states);
  zero::GroupOp other = getExchangedGroup(second, states);
  if (!group || !other || first->getName() != second->getName() ||
      group.getType() != other.getType())
    return false;
  return cast<zero::CollectiveOpInterface>(first).getCollectiveAxis() ==
         cast<zero::CollectiveOpInterface>(second).getCollectiveAxis();
}

//===----------------------------------------------------------------------===//
// Application
//===----------------------------------------------------------------------===//

/// Puts `start` directly behind the message whose starts are `message`, if one
/// of the two can move.
static bool bringTogether(ArrayRef<Operation *> message, Operation *start,
                          const EntryOrder &order) {
  Operation *last = message.back();
  Operation *dependence = order.findDependence(start);
  if (!dependence || dependence->isBeforeInBlock(message.front())) {
    if (last->getNextNode() != start)
      start->moveAfter(last);
    return true;
  }
  for (Operation *member : message) {
    Operation *await = getAwait(member);
    if (!await || await->isBeforeInBlock(start) ||
        !start->isBeforeInBlock(order.findDependent(member)))
      return false;
  }
  for (Operation *member : message)
    member->moveBefore(start);
  return true;
}

void dsc::joinCollectives(train::EntryOp entry, const StateMap &states) {
  EntryOrder order(entry, states);
  SmallVector<Operation *> starts;
  for (Operation &op : entry.getBody().front())
    if (isStart(&op) && isa<zero::CollectiveOpInterface>(op))
      starts.push_back(&op);
  SmallVector<Operation *> message;
  for (Operation *start : starts) {
    if (start->hasAttr(zero::kJoinAttrName)) {
      if (!message.empty() && canJoin(message.back(), start, states) &&
          bringTogether(message, start, order)) {
        message.push_back(start);
        continue;
      }
      start->removeAttr(zero::kJoinAttrName);
      remark::missed(start->getLoc(),
                     remark::RemarkOpts::name("NotJoined").category("schedule"))
          << "an exchange does not travel with the one before it, which is of "
             "another kind or must begin and end elsewhere";
    }
    message.assign({start});
  }
}

//===----------------------------------------------------------------------===//
// Buckets
//===----------------------------------------------------------------------===//

void dsc::markBuckets(train::EntryOp entry, const StateMap &states,
                      int64_t gatherElements, int64_t reduceElements) {
  int64_t elements = 0;
  for (Operation &op : entry.getBody().front()) {
    zero::GroupOp group =
        isStart(&op) ? getExchangedGroup(&op, states) : zero::GroupOp();
    if (!group)
      continue;
    int64_t own = group.getElements();
    bool gathers = isa<zero::GatherStartOp, zero::RefreshStartOp>(op);
    Operation *before = op.getPrevNode();
    if (before && isStart(before) && canJoin(before, &op, states) &&
        elements + own <= (gathers ? gatherElements : reduceElements)) {
      op.setAttr(zero::kJoinAttrName, UnitAttr::get(op.getContext()));
      elements += own;
      remark::passed(op.getLoc(),
                     remark::RemarkOpts::name("Joined").category("schedule"))
          << ("group " + group.getSymName() + " travels with the " +
              Twine(elements - own) + " elements before it")
                 .str();
      continue;
    }
    elements = own;
  }
}

namespace {

struct JoinCollectivesPass
    : dsc::impl::JoinCollectivesPassBase<JoinCollectivesPass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      joinCollectives(entry, states);
  }
};

struct MarkBucketsPass : dsc::impl::MarkBucketsPassBase<MarkBucketsPass> {
  using MarkBucketsPassBase::MarkBucketsPassBase;

  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      markBuckets(entry, states, gatherElements, reduceElements);
  }
};

} // namespace
