#include "passes/fusion/FusionPlan.h"
#include "passes/fusion/UnitOrder.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace dsc;

static ArrayRef<int64_t> getShape(Operation *op) {
  return cast<ShapedType>(op->getResult(0).getType()).getShape();
}

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

void FusionPlan::sortUnits(const StateMap &states) {
  UnitSorter sorter;
  std::vector<PlannedUnit> units;
  auto add = [&](PlannedUnit unit, unsigned position) {
    units.push_back(unit);
    return sorter.add(position);
  };
  llvm::DenseMap<PlannedRegion *, unsigned> regionUnits;
  llvm::DenseMap<OpOperand *, unsigned> suppliers;
  std::vector<unsigned> nodeUnits(nodes.size());

  // A region runs where its last member stood: there all inputs exist.
  for (auto &region : regions) {
    Operation *last = region->members.empty()
                          ? region->supplied.front()->get().getDefiningOp()
                          : region->members.back();
    unsigned unit = add({region.get(), nullptr}, numbers.lookup(last));
    regionUnits[region.get()] = unit;
    for (OpOperand *use : region->supplied)
      suppliers[use] = unit;
  }
  for (auto [number, node] : llvm::enumerate(nodes)) {
    if (isCloned(node.op))
      continue;
    nodeUnits[number] = node.region ? regionUnits.lookup(node.region)
                                    : add({nullptr, node.op}, number);
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
  for (unsigned unit : sorter.sort())
    order.push_back(units[unit]);
  ordered = order.size() == units.size();
}
