#include "passes/fusion/FusionPlan.h"
#include "passes/fusion/UnitOrder.h"

using namespace mlir;
using namespace dsc;

FusionPlan::FusionPlan(train::EntryOp entry, const StateMap &states, bool fuse)
    : fuse(fuse) {
  number(entry);
  if (fuse) {
    measureDepths(entry, states);
    sinkDepths(states);
    joinScalarsAndParameters();
    if (positionNodes(states)) {
      createCores();
      joinNeighbours();
    }
  }
  formSingletons();
  if (fuse)
    supplyBuffers(entry, states);
  order = sortUnits(states);
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

/// Operations of one scalar region, at most. The norm of all gradients is a
/// chain as long as the list of parameters, and the code generator takes more
/// than linear time for a kernel.
constexpr size_t kMaxScalars = 128;

/// Joins scalar operations of one depth, and in update operations on one
/// parameter of one depth. No cycle between regions can come of it: a path from
/// one of these regions to another passes no barrier only if it leads from
/// scalars to a parameter, never back, or to a later region of scalars.
void FusionPlan::joinScalarsAndParameters() {
  llvm::DenseMap<std::pair<StringAttr, unsigned>, PlannedRegion *> joined;
  for (Node &node : nodes) {
    if (!joinsByDepth(node))
      continue;
    PlannedRegion *&region = joined[{node.parameter, node.depth}];
    if (!region || (!node.parameter && region->members.size() >= kMaxScalars))
      region = createRegion(FusionKind::Elementwise);
    node.region = region;
    region->members.push_back(node.op);
    if (node.parameter)
      if (auto &last = deepest[node.parameter];
          !last.second || node.depth > last.first)
        last = {node.depth, region};
  }
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
                         user->kind == FusionKind::Contraction ||
                         user->kind == FusionKind::Scatter;
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

/// The units in an order that respects all dependences, among them those
/// through states. Operations without a region stand for themselves.
std::vector<PlannedUnit> FusionPlan::sortUnits(const StateMap &states) {
  UnitSorter sorter;
  std::vector<PlannedUnit> units, sorted;
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
    sorted.push_back(units[unit]);
  ordered = sorted.size() == units.size();
  return sorted;
}
