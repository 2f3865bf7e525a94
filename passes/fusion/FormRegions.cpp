#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "passes/fusion/FusionPlan.h"
#include "passes/fusion/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace dsc {
#define GEN_PASS_DEF_FORMREGIONSPASS
#include "passes/fusion/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// Builds the nn.fusion of one planned region. Its members stay behind, with no
/// use outside of the region.
class RegionBuilder {
public:
  RegionBuilder(const PlannedRegion &region, const FusionPlan &plan)
      : region(region), plan(plan),
        members(region.members.begin(), region.members.end()) {}

  void build(OpBuilder &builder) {
    collectInputs();
    collectResults();
    // Members whose values nobody uses are dead code.
    if (results.empty())
      return;

    SmallVector<Location> locs;
    for (Operation *member : region.members)
      locs.push_back(member->getLoc());
    if (locs.empty())
      locs.push_back(results.front().getLoc());
    auto fusion = nn::FusionOp::create(builder, builder.getFusedLoc(locs),
                                       TypeRange(results.getArrayRef()),
                                       inputs.getArrayRef(), getKindName());
    fillBody(fusion);
    for (auto [key, result] : llvm::zip(results, fusion.getResults())) {
      Value old = key;
      if (members.contains(old.getDefiningOp()))
        old.replaceUsesWithIf(result, [&](OpOperand &use) {
          return !members.contains(use.getOwner());
        });
    }
    for (OpOperand *use : region.supplied)
      use->set(fusion.getResult(indexOf(use->get())));
  }

private:
  bool isInside(Operation *op) const {
    return op && (members.contains(op) || plan.isCloned(op));
  }

  void collectInputs() {
    for (Operation *member : region.members)
      for (Value operand : member->getOperands())
        collectInput(operand);
    for (OpOperand *use : region.supplied)
      collectInput(use->get());
  }

  void collectInput(Value value) {
    Operation *producer = value.getDefiningOp();
    if (!isInside(producer))
      inputs.insert(value);
    else if (!members.contains(producer))
      for (Value operand : producer->getOperands())
        collectInput(operand);
  }

  void collectResults() {
    for (Operation *member : region.members)
      for (Value result : member->getResults())
        if (isUsedOutside(result))
          results.insert(result);
    for (OpOperand *use : region.supplied)
      results.insert(use->get());
  }

  bool isUsedOutside(Value value) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      if (plan.isCloned(user))
        return isUsedOutside(user->getResult(0));
      return !members.contains(user);
    });
  }

  unsigned indexOf(Value result) const {
    return llvm::find(results, result) - results.begin();
  }

  StringRef getKindName() const {
    if (region.kind != FusionKind::Elementwise)
      return stringifyFusionKind(region.kind);
    bool scalar = llvm::all_of(results, [](Value result) {
      return cast<ShapedType>(result.getType()).getRank() == 0;
    });
    return scalar ? "scalar" : "elementwise";
  }

  void fillBody(nn::FusionOp fusion) {
    Block *body = fusion.getBody();
    mapping.map(inputs.getArrayRef(), body->getArguments());
    OpBuilder builder(fusion.getContext());
    // The builder of nn.fusion leaves the terminator to us.
    builder.setInsertionPointToEnd(body);
    for (Operation *member : region.members) {
      for (Value operand : member->getOperands())
        getInside(builder, operand);
      builder.clone(*member, mapping);
    }
    SmallVector<Value> yielded;
    for (Value result : results)
      yielded.push_back(getInside(builder, result));
    nn::YieldOp::create(builder, fusion.getLoc(), yielded);
  }

  /// The value inside the body, after cloning what makes it if need be.
  Value getInside(OpBuilder &builder, Value value) {
    if (Value inside = mapping.lookupOrNull(value))
      return inside;
    Operation *producer = value.getDefiningOp();
    for (Value operand : producer->getOperands())
      getInside(builder, operand);
    return builder.clone(*producer, mapping)->getResult(0);
  }

  const PlannedRegion &region;
  const FusionPlan &plan;
  llvm::SmallPtrSet<Operation *, 8> members;
  llvm::SetVector<Value> inputs, results;
  IRMapping mapping;
};

struct FormRegionsPass : dsc::impl::FormRegionsPassBase<FormRegionsPass> {
  using FormRegionsPassBase::FormRegionsPassBase;

  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      if (failed(formRegions(entry, states)))
        return signalPassFailure();
  }

  LogicalResult formRegions(train::EntryOp entry, const StateMap &states) {
    Block &block = entry.getBody().front();
    SmallVector<Operation *> originals;
    for (Operation &op : block.without_terminator())
      originals.push_back(&op);

    // Of each operation a debug entry has a result to show.
    bool isDebug = entry.getKind() == train::EntryKind::Debug;
    FusionPlan plan(entry, states, fuse && !isDebug);
    if (!plan.isOrdered())
      return entry.emitOpError("has regions that wait for one another; compile "
                               "with --fuse=none, and please report this");
    OpBuilder builder(block.getTerminator());
    llvm::SmallPtrSet<Operation *, 32> dead;
    for (const PlannedUnit &unit : plan.getOrder()) {
      if (unit.op) {
        unit.op->moveBefore(block.getTerminator());
        continue;
      }
      RegionBuilder(*unit.region, plan).build(builder);
      dead.insert(unit.region->members.begin(), unit.region->members.end());
    }
    // Users stand after what they use.
    for (Operation *op : llvm::reverse(originals))
      if (dead.contains(op) || plan.isCloned(op))
        op->erase();
    return success();
  }
};

} // namespace
