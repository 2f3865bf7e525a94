#include "passes/schedule/EntryOrder.h"

#include "passes/schedule/InplaceSafety.h"

using namespace mlir;
using namespace dsc;

bool dsc::isStart(Operation *op) {
  return llvm::any_of(op->getResultTypes(),
                      [](Type type) { return isa<zero::TokenType>(type); });
}

Operation *dsc::getAwait(Operation *start) {
  Value token = start->getResult(0);
  return token.hasOneUse() ? *token.getUsers().begin() : nullptr;
}

template <typename Pick> static Operation *pickUse(Value value, Pick isBetter) {
  Operation *picked = nullptr;
  for (Operation *user : value.getUsers()) {
    if (isa<zero::ReleaseOp>(user))
      continue;
    Operation *use =
        isView(user) ? pickUse(user->getResult(0), isBetter) : user;
    if (use && (!picked || isBetter(use, picked)))
      picked = use;
  }
  return picked;
}

Operation *dsc::findFirstUse(Value value) {
  return pickUse(value, [](Operation *use, Operation *picked) {
    return use->isBeforeInBlock(picked);
  });
}

Operation *dsc::findLastUse(Value value) {
  return pickUse(value, [](Operation *use, Operation *picked) {
    return picked->isBeforeInBlock(use);
  });
}

//===----------------------------------------------------------------------===//
// EntryOrder
//===----------------------------------------------------------------------===//

void EntryOrder::add(Operation *op, ArrayRef<StateAccess> touched) {
  for (const StateAccess &access : touched)
    accesses[access.symbol].push_back({op, access.writes});
}

/// Visits the users of `value` and of views of it.
static void visitUsers(Value value, function_ref<void(Operation *)> visit) {
  for (Operation *user : value.getUsers()) {
    if (isView(user))
      visitUsers(user->getResult(0), visit);
    else
      visit(user);
  }
}

void dsc::moveBefore(Operation *op, Operation *place) {
  if (op == place || op->getNextNode() == place)
    return;
  op->remove();
  place->getBlock()->getOperations().insert(Block::iterator(place), op);
}

void dsc::moveAfter(Operation *op, Operation *place) {
  if (op != place && op->getPrevNode() != place)
    moveBefore(op, place->getNextNode());
}

EntryOrder::EntryOrder(train::EntryOp entry, const StateMap &states)
    : block(entry.getBody().front()), states(states) {
  for (Operation &op : block) {
    // An await ends what its start began.
    Operation *start =
        op.getNumOperands() == 1 ? op.getOperand(0).getDefiningOp() : nullptr;
    bool isAwait = start && isStart(start);
    auto touched = getStateAccesses(isAwait ? start : &op, states);
    if (!touched) {
      unknown.push_back(&op);
      continue;
    }
    add(&op, *touched);
    // A read is a view of the state's memory: its users read it, too.
    if (isa<train::ReadOp, zero::ReadPartOp>(op))
      visitUsers(op.getResult(0),
                 [&](Operation *user) { add(user, *touched); });
    // What writes in place does so before the write that stands behind it.
    if (auto fusion = dyn_cast<nn::FusionOp>(op))
      for (unsigned result = 0; result < fusion.getNumResults(); ++result)
        if (fusion.getInplaceOperand(result))
          if (Operation *write = InplaceSafety::getWrite(fusion, result))
            if (auto written = getStateAccesses(write, states))
              add(&op, *written);
  }
}

/// Visits what must not change places with `start` or its await.
void EntryOrder::visitConflicts(Operation *start,
                                function_ref<void(Operation *)> visit) const {
  Operation *await = getAwait(start);
  auto visitOther = [&](Operation *op) {
    if (op != start && op != await)
      visit(op);
  };
  auto touched = getStateAccesses(start, states);
  if (!touched) {
    for (Operation &op : block)
      visitOther(&op);
    return;
  }
  for (const StateAccess &access : *touched) {
    auto it = accesses.find(access.symbol);
    if (it == accesses.end())
      continue;
    for (const Access &other : it->second)
      if (access.writes || other.writes)
        visitOther(other.op);
  }
  if (!touched->empty())
    llvm::for_each(unknown, visitOther);
}

Operation *EntryOrder::findDependence(Operation *start) const {
  Operation *last = nullptr;
  auto consider = [&](Operation *op) {
    if (op->isBeforeInBlock(start) && (!last || last->isBeforeInBlock(op)))
      last = op;
  };
  for (Value operand : start->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      consider(producer);
  visitConflicts(start, consider);
  return last;
}

Operation *EntryOrder::findDependent(Operation *start) const {
  Operation *first = block.getTerminator();
  auto consider = [&](Operation *op) {
    if (start->isBeforeInBlock(op) && op->isBeforeInBlock(first))
      first = op;
  };
  Operation *await = getAwait(start);
  for (Value result : await->getResults())
    for (Operation *user : result.getUsers())
      if (!isView(user))
        consider(user);
  visitConflicts(start, consider);
  return first;
}
