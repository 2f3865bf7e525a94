#include "compiler/simulate/ViewSizes.h"

#include "llvm/Support/MathExtras.h"

using namespace dsc;
using namespace mlir;
using exec::Place;

ViewSizes::ViewSizes(ModuleOp module, const RankPlan &plan)
    : symbols(module), ranks(plan.ranks) {
  for (const GroupPlan &group : plan.groups)
    groups[group.name] = &group;
}

uint64_t ViewSizes::getShardElements(StringRef group) const {
  return groups.lookup(group)->shardElements;
}

const GroupPlan *ViewSizes::getGroup(StringRef state) const {
  auto op = symbols.lookup<exec::StateOp>(state);
  return op.getGroup() ? groups.lookup(*op.getGroup()) : nullptr;
}

uint64_t ViewSizes::getPartElements(StringRef state) const {
  uint64_t elements = symbols.lookup<exec::StateOp>(state).getElements();
  return getGroup(state) ? llvm::divideCeil(elements, ranks) : elements;
}

uint64_t ViewSizes::getElements(Value view) const {
  auto type = cast<MemRefType>(view.getType());
  if (type.hasStaticShape())
    return type.getNumElements();
  Place place = view.getDefiningOp<exec::ViewOpInterface>().getPlace();
  if (auto range = view.getDefiningOp<exec::RangeViewOp>())
    return getGroup(range.getState())->shardElements;
  switch (place.kind) {
  case Place::Kind::Arena:
    return getPartElements(
        *view.getDefiningOp<exec::ArenaViewOp>().getPartOf());
  case Place::Kind::Part:
    return getPartElements(place.state.getValue());
  case Place::Kind::Shard:
    return getGroup(place.state.getValue())->shardElements;
  case Place::Kind::Flat:
    return getGroup(place.state.getValue())->allElements;
  case Place::Kind::Staging: {
    // One row a rank: of shards, or of numbers. Of ranks below and above, as
    // the one in the middle has them.
    auto staging = view.getDefiningOp<exec::StagingViewOp>();
    if (auto of = staging.getOf()) {
      uint64_t rows = ranks;
      if (staging.getBelow())
        rows = ranks / 2;
      else if (staging.getAbove())
        rows = ranks - 1 - ranks / 2;
      return rows * getGroup(*of)->shardElements;
    }
    uint64_t row = 1;
    for (int64_t extent : type.getShape().drop_front())
      row *= extent;
    return ranks * row;
  }
  case Place::Kind::Tensor:
  case Place::Kind::Input:
    break;
  }
  llvm_unreachable("views of tensors and inputs have static shapes");
}

uint64_t ViewSizes::getBytes(Value view) const {
  Type elementType = cast<MemRefType>(view.getType()).getElementType();
  return getElements(view) * exec::getElementBytes(elementType);
}
