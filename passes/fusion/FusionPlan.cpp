#include "passes/fusion/FusionPlan.h"

#include "mlir/IR/Remarks.h"

#include <queue>

using namespace mlir;
using namespace dsc;

namespace {
bool isScalar(Value value) {
  return cast<ShapedType>(value.getType()).getRank() == 0;
}

ArrayRef<int64_t> getShape(Operation *op) {
  return cast<ShapedType>(op->getResult(0).getType()).getShape();
}
} // namespace

FusionPlan::FusionPlan(train::EntryOp entry, const StateMap &states, bool fuse)
    : fuse(fuse) {
  number(entry);
  if (fuse) {
    measureDepths(entry, states);
    sinkDepths(states);
    joinScalarsAndParameters();
    joinChains();
  }
  formSingletons();
  if (fuse)
    supplyBuffers(entry, states);
  sortUnits(states);
}

bool FusionPlan::isCloned(Operation *op) const {
  const Node *node = lookup(op);
  return fuse && node &&
         (node->kind == FusionKind::Constant ||
          node->kind == FusionKind::Broadcast);
}

FusionPlan::Node *FusionPlan::lookup(Operation *op) {
  auto it = numbers.find(op);
  return it == numbers.end() ? nullptr : &nodes[it->second];
}

const FusionPlan::Node *FusionPlan::lookup(Operation *op) const {
  return const_cast<FusionPlan *>(this)->lookup(op);
}

PlannedRegion *FusionPlan::createRegion(FusionKind kind) {
  regions.push_back(std::make_unique<PlannedRegion>());
  regions.back()->kind = kind;
  return regions.back().get();
}

//===----------------------------------------------------------------------===//
// What is known of each operation
//===----------------------------------------------------------------------===//

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
    node.mixed |= type.getShape() != getShape(node.op);
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
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// Joins scalar operations of one depth, and in update operations on one
/// parameter of one depth. No cycle between regions can come of it: a path from
/// one of these regions to another passes no barrier only if it leads from
/// scalars to a parameter, never back.
void FusionPlan::joinScalarsAndParameters() {
  llvm::DenseMap<std::pair<StringAttr, unsigned>, PlannedRegion *> joined;
  for (Node &node : nodes) {
    if (!joinsByDepth(node))
      continue;
    PlannedRegion *&region = joined[{node.parameter, node.depth}];
    if (!region)
      region = createRegion(FusionKind::Elementwise);
    node.region = region;
    region->members.push_back(node.op);
    if (node.parameter)
      if (auto &last = deepest[node.parameter];
          !last.second || node.depth > last.first)
        last = {node.depth, region};
  }
}

/// The elementwise region that holds all users of `node`, or null and why not.
PlannedRegion *FusionPlan::findRegionOfAllUsers(const Node &node,
                                                std::string &reason) const {
  PlannedRegion *region = nullptr;
  for (Operation *userOp : node.op->getUsers()) {
    const Node *user = lookup(userOp);
    if (!user || !isJoinable(*user)) {
      reason = "it is used by " + userOp->getName().getStringRef().str();
      return nullptr;
    }
    if (getShape(userOp) != getShape(node.op)) {
      reason = "it is used by an operation of another shape";
      return nullptr;
    }
    if (region && user->region != region) {
      reason = "it is used by more than one region";
      return nullptr;
    }
    region = user->region;
  }
  if (!region)
    reason = "it has no user";
  return region;
}

/// Joins elementwise operations with the region of their users, if that is one.
/// Users stand after their producers, so they have their regions already.
void FusionPlan::joinChains() {
  for (Node &node : llvm::reverse(nodes)) {
    if (!isJoinable(node) || node.region)
      continue;
    std::string reason;
    node.region = findRegionOfAllUsers(node, reason);
    if (!node.region) {
      node.region = createRegion(FusionKind::Elementwise);
      remark::missed(node.op->getLoc(),
                     remark::RemarkOpts::name("NotFused").category("fusion"))
          << (node.op->getName().getStringRef() +
              " is not fused into its users because " + reason)
                 .str();
    }
    node.region->members.push_back(node.op);
  }
  for (auto &region : regions)
    llvm::sort(region->members, [&](Operation *a, Operation *b) {
      return numbers.lookup(a) < numbers.lookup(b);
    });
}

void FusionPlan::formSingletons() {
  for (Node &node : nodes) {
    if (!node.kind || node.kind == FusionKind::View || node.region ||
        isCloned(node.op))
      continue;
    bool isFree =
        node.kind == FusionKind::Constant || node.kind == FusionKind::Broadcast;
    node.region = createRegion(isFree ? FusionKind::Elementwise : *node.kind);
    node.region->members.push_back(node.op);
  }
}

/// In update: the region of the parameter that `use` writes, if the written
/// constant or broadcast can be made there, as the zeroed gradient can.
PlannedRegion *FusionPlan::findWriterRegion(const Node &supplier,
                                            OpOperand &use,
                                            const StateMap &states) {
  auto write = dyn_cast<train::WriteOp>(use.getOwner());
  if (!write)
    return nullptr;
  StringAttr symbol = write.getSymbolAttr().getAttr();
  train::ParameterOp owner = states.getOwner(symbol);
  auto it = owner ? deepest.find(owner.getSymNameAttr()) : deepest.end();
  if (it == deepest.end() || supplier.depth > it->second.first)
    return nullptr;
  // A later read of the symbol may be what the region waits for.
  if (lastReads.lookup(symbol) > numbers.lookup(write))
    return nullptr;
  return it->second.second;
}

/// Constants and broadcasts live inside the regions that use them. Where
/// something else uses one, a region must put it into memory.
void FusionPlan::supplyBuffers(train::EntryOp entry, const StateMap &states) {
  for (Node &node : nodes) {
    if (!isCloned(node.op))
      continue;
    PlannedRegion *own = nullptr;
    for (OpOperand &use : node.op->getUses()) {
      const Node *user = lookup(use.getOwner());
      bool needsBuffer = !user || !user->kind ||
                         user->kind == FusionKind::View ||
                         user->kind == FusionKind::Contraction;
      if (!needsBuffer)
        continue;
      PlannedRegion *region = findWriterRegion(node, use, states);
      if (!region)
        region = own ? own : own = createRegion(FusionKind::Elementwise);
      region->supplied.push_back(&use);
    }
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

namespace {

/// Sorts units so that each follows what it depends on, and otherwise as they
/// stand in the program.
class UnitSorter {
public:
  unsigned add(PlannedUnit unit, unsigned position) {
    units.push_back(unit);
    positions.push_back(position);
    successors.emplace_back();
    missing.push_back(0);
    return units.size() - 1;
  }

  void addDependence(unsigned before, unsigned after) {
    if (before == after)
      return;
    successors[before].push_back(after);
    ++missing[after];
  }

  std::vector<PlannedUnit> sort() {
    std::vector<PlannedUnit> order;
    using Ready = std::pair<unsigned, unsigned>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<Ready>> ready;
    for (auto [unit, count] : llvm::enumerate(missing))
      if (count == 0)
        ready.push({positions[unit], unit});
    while (!ready.empty()) {
      unsigned unit = ready.top().second;
      ready.pop();
      order.push_back(units[unit]);
      for (unsigned successor : successors[unit])
        if (--missing[successor] == 0)
          ready.push({positions[successor], successor});
    }
    return order;
  }

private:
  std::vector<PlannedUnit> units;
  std::vector<unsigned> positions;
  std::vector<SmallVector<unsigned, 4>> successors;
  std::vector<unsigned> missing;
};

/// Finds which earlier operations an operation must follow because both touch
/// one state. Each pair of neighbours is found once, so the sum is linear.
class StateOrder {
public:
  void visit(Operation *op, unsigned unit, const StateMap &states,
             function_ref<void(unsigned)> follows) {
    auto accesses = getStateAccesses(op, states);
    if (!accesses) {
      for (unsigned earlier : sinceFence)
        follows(earlier);
      sinceFence.assign({unit});
      symbols.clear();
      fence = unit;
      return;
    }
    if (accesses->empty())
      return;
    if (fence)
      follows(*fence);
    sinceFence.push_back(unit);
    for (const StateAccess &access : *accesses) {
      Symbol &symbol = symbols[access.symbol];
      if (symbol.writer)
        follows(*symbol.writer);
      if (!access.writes) {
        symbol.readers.push_back(unit);
        continue;
      }
      for (unsigned reader : symbol.readers)
        follows(reader);
      symbol.readers.clear();
      symbol.writer = unit;
    }
  }

private:
  struct Symbol {
    std::optional<unsigned> writer;
    SmallVector<unsigned, 2> readers;
  };
  llvm::DenseMap<StringAttr, Symbol> symbols;
  SmallVector<unsigned> sinceFence;
  std::optional<unsigned> fence;
};

} // namespace

void FusionPlan::sortUnits(const StateMap &states) {
  UnitSorter sorter;
  llvm::DenseMap<PlannedRegion *, unsigned> regionUnits;
  llvm::DenseMap<OpOperand *, unsigned> suppliers;
  std::vector<unsigned> nodeUnits(nodes.size());

  // A region runs where its last member stood: there all inputs exist.
  for (auto &region : regions) {
    Operation *last = region->members.empty()
                          ? region->supplied.front()->get().getDefiningOp()
                          : region->members.back();
    unsigned unit = sorter.add({region.get(), nullptr}, numbers.lookup(last));
    regionUnits[region.get()] = unit;
    for (OpOperand *use : region->supplied)
      suppliers[use] = unit;
  }
  for (auto [number, node] : llvm::enumerate(nodes)) {
    if (isCloned(node.op))
      continue;
    nodeUnits[number] = node.region ? regionUnits.lookup(node.region)
                                    : sorter.add({nullptr, node.op}, number);
  }

  // Values: through cloned operations to what their clones will use.
  auto dependOn = [&](auto &&self, Value value, unsigned unit) -> void {
    Operation *producer = value.getDefiningOp();
    if (!producer)
      return;
    if (!isCloned(producer))
      return sorter.addDependence(nodeUnits[numbers.lookup(producer)], unit);
    for (Value operand : producer->getOperands())
      self(self, operand, unit);
  };
  StateOrder stateOrder;
  for (auto [number, node] : llvm::enumerate(nodes)) {
    if (isCloned(node.op))
      continue;
    unsigned unit = nodeUnits[number];
    for (OpOperand &operand : node.op->getOpOperands()) {
      if (auto it = suppliers.find(&operand); it != suppliers.end())
        sorter.addDependence(it->second, unit);
      else
        dependOn(dependOn, operand.get(), unit);
    }
    stateOrder.visit(node.op, unit, states, [&](unsigned earlier) {
      sorter.addDependence(earlier, unit);
    });
  }
  for (auto [use, unit] : suppliers)
    dependOn(dependOn, use->get(), unit);
  order = sorter.sort();
}
