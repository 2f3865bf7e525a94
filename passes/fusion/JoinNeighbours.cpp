// Elementwise operations join the region before or behind them: another
// elementwise one, or that of a row operation or a reduction.
//
// All nodes stand in one order that respects every dependence, and a region
// runs where the last of its members stands. A member that stands earlier moves
// down to that place, which is right if whatever else uses it stands behind.
// That is checked for each operation that joins, so the order stays valid and
// no cycle can come to be.

#include "passes/fusion/FusionPlan.h"

#include "mlir/IR/Remarks.h"

#include <limits>

using namespace mlir;
using namespace dsc;

/// Members of one region, at most: the time to compile a kernel grows faster
/// than its length.
static constexpr size_t kMaxMembers = 128;
/// Bytes that the rows between the loops of one kernel may take: the stack of a
/// kernel has room for them, and for a few numbers a row.
static constexpr int64_t kMaxRowBytes = 224 * 1024;

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static ArrayRef<int64_t> getShape(Value value) {
  return getTensorType(value).getShape();
}

static StringRef getName(Operation *op) { return op->getName().getStringRef(); }

/// Whether the rows of a row operation are its last dimension, so that a unit
/// of its loops is one row. An attribute `dim` may say otherwise.
static bool hasRowsLast(Operation *core) {
  auto dim = core->getAttrOfType<IntegerAttr>("dim");
  return !dim ||
         dim.getInt() == getTensorType(core->getOperand(0)).getRank() - 1;
}

/// Whether enough threads can share a reduction to give it the work of an
/// elementwise operation as well, which all of them could share: it is cut by
/// its results, a sum along rows one by one, a sum of rows in long pieces.
static bool isShared(Operation *core) {
  constexpr int64_t kFewElements = 64 * 1024, kRows = 16, kColumns = 512;
  RankedTensorType input = getTensorType(core->getOperand(0));
  RankedTensorType result = getTensorType(core->getResult(0));
  if (!input.hasStaticShape() || input.getNumElements() < kFewElements)
    return true;
  auto dims = core->getAttrOfType<DenseI64ArrayAttr>("dims");
  bool alongRows =
      dims && llvm::is_contained(dims.asArrayRef(), input.getRank() - 1);
  return result.getNumElements() >= (alongRows ? kRows : kColumns);
}

/// Bytes of a value's last dimension.
static int64_t getRowBytes(Value value) {
  RankedTensorType type = getTensorType(value);
  int64_t width = type.getRank() == 0 ? 1 : type.getShape().back();
  return width * llvm::divideCeil(type.getElementTypeBitWidth(), 8u);
}

/// Whether the kernel of a region has room for what `joining` makes. It may
/// keep a row of each value, and the core two rows of its own.
static bool hasRoom(const PlannedRegion &region, Operation *joining) {
  if (region.members.size() >= kMaxMembers)
    return false;
  if (region.kind != FusionKind::Row)
    return true;
  Value domain = region.core->getOperand(0);
  if (getTensorType(domain).getRank() == 0 ||
      !getTensorType(domain).hasStaticShape() || !hasRowsLast(region.core))
    return false;
  int64_t bytes = getRowBytes(joining->getResult(0)) + 2 * getRowBytes(domain);
  for (Operation *member : region.members)
    for (Value result : member->getResults())
      bytes += getRowBytes(result);
  return bytes <= kMaxRowBytes;
}

/// Places all nodes. Fails if the regions so far have no order.
bool FusionPlan::positionNodes(const StateMap &states) {
  std::vector<PlannedUnit> units = sortUnits(states);
  for (auto [position, unit] : llvm::enumerate(units)) {
    if (unit.op) {
      lookup(unit.op)->position = position;
      continue;
    }
    unit.region->position = position;
    for (Operation *member : unit.region->members)
      lookup(member)->position = position;
  }
  return ordered;
}

void FusionPlan::createCores() {
  for (Node &node : nodes) {
    if (node.region ||
        (node.kind != FusionKind::Row && node.kind != FusionKind::Reduction))
      continue;
    node.region = createRegion(*node.kind);
    node.region->core = node.op;
    node.region->position = node.position;
    node.region->members.push_back(node.op);
  }
}

void FusionPlan::collectUses(Operation *op, bool throughClone,
                             SmallVectorImpl<Use> &uses) const {
  for (Operation *user : op->getUsers())
    if (isCloned(user))
      collectUses(user, true, uses);
    else
      uses.push_back({user, throughClone});
}

/// Where an operation runs; the terminator runs last.
unsigned FusionPlan::getPosition(Operation *user) const {
  const Node *node = lookup(user);
  if (!node)
    return std::numeric_limits<unsigned>::max();
  return node->region ? node->region->position : node->position;
}

/// Whether the loops of `user` compute an element of `node` where they need it.
bool FusionPlan::canSupply(const Node &node, const Node &user) const {
  if (!user.region || !hasRoom(*user.region, node.op) ||
      readsThroughClone(node.op, *user.region))
    return false;
  Operation *core = user.region->core;
  ArrayRef<int64_t> shape = getShape(node.op->getResult(0));
  if (user.region->kind == FusionKind::Reduction &&
      shape == getShape(core->getOperand(0)) && !isShared(core))
    return false;
  return shape == getShape(user.op == core ? core->getOperand(0)
                                           : user.op->getResult(0));
}

/// Whether an operand of `op` is made from a member of `region` by operations
/// that will be cloned. They may read other elements than the present one.
bool FusionPlan::readsThroughClone(Operation *op,
                                   const PlannedRegion &region) const {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *clone = operand.getDefiningOp();
    if (!isCloned(clone))
      return false;
    return readsThroughClone(clone, region) ||
           llvm::any_of(clone->getOperands(), [&](Value source) {
             const Node *producer = lookup(source.getDefiningOp());
             return producer && producer->region == &region;
           });
  });
}

/// The region that holds all users of `node`, or null and why not.
PlannedRegion *FusionPlan::findRegionOfAllUsers(const Node &node,
                                                ArrayRef<Use> uses,
                                                std::string &reason) const {
  PlannedRegion *region = nullptr;
  for (const Use &use : uses) {
    const Node *user = lookup(use.user);
    if (!user || !user->region || (!isJoinable(*user) && !user->region->core)) {
      reason = ("it is used by " + getName(use.user)).str();
      return nullptr;
    }
    if (use.throughClone || !canSupply(node, *user)) {
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

/// Whether `region` may run at `position`, together with `joining`.
bool FusionPlan::canMoveTo(const PlannedRegion &region, const Node &joining,
                           unsigned position) const {
  SmallVector<Use> uses;
  for (Operation *member : region.members)
    collectUses(member, false, uses);
  return llvm::all_of(uses, [&](const Use &use) {
    const Node *user = lookup(use.user);
    bool inside = user == &joining || (user && user->region == &region);
    return inside || getPosition(use.user) > position;
  });
}

/// The region of a row operation or reduction that makes an operand of `node`
/// element by element, or null.
PlannedRegion *FusionPlan::findRegionOfOperand(const Node &node,
                                               ArrayRef<Use> uses) const {
  for (Value operand : node.op->getOperands()) {
    const Node *producer = lookup(operand.getDefiningOp());
    PlannedRegion *region = producer ? producer->region : nullptr;
    if (!region || !region->core || !hasRoom(*region, node.op) ||
        getShape(operand) != getShape(node.op->getResult(0)) ||
        readsThroughClone(node.op, *region))
      continue;
    // What a row operation says of its rows alone is not made element by
    // element of its loops.
    if (region->kind == FusionKind::Row &&
        getShape(operand) != getShape(region->core->getOperand(0)))
      continue;
    unsigned position = std::max(region->position, node.position);
    bool isFree = llvm::all_of(uses, [&](const Use &use) {
      const Node *user = lookup(use.user);
      return (user && user->region == region && !use.throughClone) ||
             getPosition(use.user) > position;
    });
    if (isFree &&
        (region->position >= position || canMoveTo(*region, node, position)))
      return region;
  }
  return nullptr;
}

/// The first of the regions that use `node`, if it runs before all others and
/// can make `node` for them, or null.
PlannedRegion *FusionPlan::findRegionOfFirstUser(const Node &node,
                                                 ArrayRef<Use> uses) const {
  PlannedRegion *first = nullptr;
  for (const Use &use : uses)
    if (const Node *user = lookup(use.user);
        user && user->region &&
        (!first || user->region->position < first->position))
      first = user->region;
  if (!first || (first->kind == FusionKind::Elementwise && !first->core &&
                 llvm::any_of(first->members, [&](Operation *member) {
                   return joinsByDepth(*lookup(member));
                 })))
    return nullptr;
  bool fits = llvm::all_of(uses, [&](const Use &use) {
    const Node *user = lookup(use.user);
    return user && user->region == first
               ? !use.throughClone && canSupply(node, *user)
               : getPosition(use.user) > first->position;
  });
  return fits ? first : nullptr;
}

void FusionPlan::joinNeighbours() {
  SmallVector<Node *> joining;
  for (Node &node : nodes)
    if (isJoinable(node) && !node.region)
      joining.push_back(&node);
  // Users first, so that their regions exist.
  llvm::sort(joining, [](const Node *a, const Node *b) {
    return a->position > b->position;
  });
  for (Node *node : joining) {
    SmallVector<Use> uses;
    collectUses(node->op, false, uses);
    std::string reason;
    node->region = findRegionOfAllUsers(*node, uses, reason);
    if (!node->region)
      node->region = findRegionOfOperand(*node, uses);
    if (!node->region)
      node->region = findRegionOfFirstUser(*node, uses);
    if (!node->region) {
      node->region = createRegion(FusionKind::Elementwise);
      remark::missed(node->op->getLoc(),
                     remark::RemarkOpts::name("NotFused").category("fusion"))
          << (getName(node->op) + " is not fused into its users because " +
              reason)
                 .str();
    }
    node->region->position = std::max(node->region->position, node->position);
    node->region->members.push_back(node->op);
  }
  for (auto &region : regions)
    llvm::sort(region->members, [&](Operation *a, Operation *b) {
      return numbers.lookup(a) < numbers.lookup(b);
    });
}
