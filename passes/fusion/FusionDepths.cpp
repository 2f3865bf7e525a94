// What a fusion plan knows of each operation: the parameter that it works on
// and its depth, by which operations join.

#include "passes/fusion/FusionPlan.h"

#include <limits>

using namespace mlir;
using namespace dsc;

static bool isScalar(Value value) {
  return cast<ShapedType>(value.getType()).getRank() == 0;
}

void FusionPlan::number(train::EntryOp entry) {
  for (Operation &op : entry.getBody().front().without_terminator()) {
    numbers.try_emplace(&op, nodes.size());
    Node &node = nodes.emplace_back();
    node.op = &op;
    if (auto fusible = dyn_cast<FusionOpInterface>(op))
      node.kind = fusible.getFusionKind();
  }
}

/// Whether users of `node` are deeper than it. Reads, constants, elementwise
/// operations and broadcasts of scalars are not barriers, so that what hangs
/// together by these alone has one depth. Anything that leads from elements of
/// a tensor back to a scalar, or to another tensor, is one.
bool FusionPlan::isBarrier(const Node &node) const {
  if (!node.kind)
    return node.op->getNumOperands() != 0;
  switch (*node.kind) {
  case FusionKind::Constant:
    return false;
  case FusionKind::Elementwise:
    return node.mixed;
  case FusionKind::Broadcast: {
    Value input = node.op->getOperand(0);
    const Node *producer = lookup(input.getDefiningOp());
    return !isScalar(input) || (producer && producer->parameter);
  }
  default:
    return true;
  }
}

bool FusionPlan::isJoinable(const Node &node) const {
  return node.kind == FusionKind::Elementwise && !node.mixed;
}

/// Finds the parameter whose elements an operation of update works on.
void FusionPlan::inheritParameter(Node &node, const StateMap &states) {
  if (auto read = dyn_cast<train::ReadOp>(node.op)) {
    if (train::ParameterOp owner =
            states.getOwner(read.getSymbolAttr().getAttr()))
      node.parameter = owner.getSymNameAttr();
    return;
  }
  if (node.kind != FusionKind::Elementwise)
    return;
  for (Value operand : node.op->getOperands()) {
    const Node *producer = lookup(operand.getDefiningOp());
    if (!producer || !producer->parameter)
      continue;
    node.mixed |= node.parameter && node.parameter != producer->parameter;
    node.parameter = producer->parameter;
  }
  if (node.parameter) {
    auto type = cast<ShapedType>(states.getParameter(node.parameter).getType());
    auto result = cast<ShapedType>(node.op->getResult(0).getType());
    node.mixed |= type.getShape() != result.getShape();
  }
  if (node.mixed)
    node.parameter = {};
}

void FusionPlan::measureDepths(train::EntryOp entry, const StateMap &states) {
  bool inUpdate = entry.getKind() == train::EntryKind::Update;
  llvm::DenseMap<StringAttr, unsigned> writeDepths;
  unsigned deepest = 0, fence = 0;
  for (Node &node : nodes) {
    if (inUpdate)
      inheritParameter(node, states);
    for (Value operand : node.op->getOperands())
      if (const Node *producer = lookup(operand.getDefiningOp()))
        node.depth =
            std::max(node.depth, producer->depth + isBarrier(*producer));

    auto accesses = getStateAccesses(node.op, states);
    if (!accesses) {
      node.depth = std::max(node.depth, deepest + 1);
      fence = node.depth + 1;
    } else if (!accesses->empty()) {
      node.depth = std::max(node.depth, fence);
      // What reads after a write must not join what made the written value.
      for (const StateAccess &access : *accesses)
        if (auto it = writeDepths.find(access.symbol);
            access.reads && it != writeDepths.end())
          node.depth = std::max(node.depth, it->second + 1);
      for (const StateAccess &access : *accesses) {
        if (access.writes)
          writeDepths[access.symbol] = node.depth;
        if (access.reads)
          lastReads[access.symbol] = numbers.lookup(node.op);
      }
    }
    deepest = std::max(deepest, node.depth);
  }
}

/// Whether the operation joins others of its depth: scalars and, in update,
/// operations on a parameter.
bool FusionPlan::joinsByDepth(const Node &node) const {
  return isJoinable(node) &&
         (node.parameter || isScalar(node.op->getResult(0)));
}

/// The largest depth that `user` allows to what it uses.
unsigned FusionPlan::getDepthLimit(Operation *user,
                                   const StateMap &states) const {
  const Node *node = lookup(user);
  if (!node) // The terminator.
    return std::numeric_limits<unsigned>::max();
  if (isCloned(user) && !isBarrier(*node)) {
    unsigned limit = std::numeric_limits<unsigned>::max();
    for (Operation *other : user->getUsers())
      limit = std::min(limit, getDepthLimit(other, states));
    return limit;
  }
  // A write can wait unless something reads what it wrote.
  auto accesses = getStateAccesses(user, states);
  bool canWait =
      user->getNumResults() == 0 && accesses && !accesses->empty() &&
      llvm::all_of(*accesses, [&](const StateAccess &access) {
        return lastReads.lookup(access.symbol) <= numbers.lookup(user);
      });
  return canWait ? std::numeric_limits<unsigned>::max() : node->depth;
}

/// Moves operations that join by depth as deep as their users allow, so that
/// what need not come before a barrier does not form a region of its own there.
void FusionPlan::sinkDepths(const StateMap &states) {
  llvm::DenseMap<StringAttr, unsigned> maxDepths;
  for (const Node &node : nodes)
    if (joinsByDepth(node)) {
      unsigned &depth = maxDepths[node.parameter];
      depth = std::max(depth, node.depth);
    }
  for (Node &node : llvm::reverse(nodes)) {
    if (!joinsByDepth(node))
      continue;
    unsigned limit = maxDepths.lookup(node.parameter);
    for (Operation *user : node.op->getUsers())
      limit = std::min(limit, getDepthLimit(user, states));
    node.depth = std::max(node.depth, limit);
  }
  // A broadcast is made where it is used, but not before its operand.
  for (Node &node : nodes)
    if (isCloned(node.op))
      for (Value operand : node.op->getOperands())
        if (const Node *producer = lookup(operand.getDefiningOp()))
          node.depth = std::max(node.depth, producer->depth);
}
