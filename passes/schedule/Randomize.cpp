#include "passes/schedule/KeepGathered.h"
#include "passes/schedule/MoveCollectives.h"
#include "passes/schedule/Passes.h"
#include "passes/schedule/Recompute.h"
#include "passes/schedule/RecomputeCandidates.h"

#include "llvm/Support/xxhash.h"

namespace dsc {
#define GEN_PASS_DEF_RANDOMIZEPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// Collectives move by fewer regions than this, or as far as they can.
constexpr uint64_t kMostRegions = 12;

struct RandomizePass : dsc::impl::RandomizePassBase<RandomizePass> {
  using RandomizePassBase::RandomizePassBase;

  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto state : getOperation().getOps<train::StateOp>())
      if (state.getKind() == train::StateKind::Moment)
        state.setOffloaded(drawOffloaded(state, states));
    for (auto entry : getOperation().getOps<train::EntryOp>()) {
      annotateStarts(entry);
      for (auto [index, candidate] :
           llvm::enumerate(collectRecomputable(entry, states)))
        if (draw(entry, "recompute " + Twine(index)) % 2)
          for (nn::FusionOp region : candidate.regions)
            region->setAttr(kRecomputeAttr, UnitAttr::get(&getContext()));
    }
  }

private:
  /// A number for one question about an entry. Both kinds of step get the same
  /// answers, since they must exchange the same.
  uint64_t draw(train::EntryOp entry, const Twine &question) const {
    StringRef kind = entry.getKind() == train::EntryKind::StepLast
                         ? train::stringifyEntryKind(train::EntryKind::Step)
                         : train::stringifyEntryKind(entry.getKind());
    return draw(kind + " " + question);
  }

  uint64_t draw(const Twine &question) const {
    return llvm::xxh3_64bits((Twine(seed) + " " + question).str());
  }

  /// Of a group, all or none.
  bool drawOffloaded(train::StateOp state, const StateMap &states) const {
    StringAttr parameter = state.getParameterAttr().getAttr();
    zero::GroupOp group = states.getGroupOf(parameter);
    return draw("offload " +
                (group ? group.getSymName() : parameter.getValue())) %
           2;
  }

  int64_t drawDistance(train::EntryOp entry, const Twine &question) const {
    uint64_t number = draw(entry, question) % (kMostRegions + 1);
    return number < kMostRegions ? number : INT32_MAX;
  }

  void annotateStarts(train::EntryOp entry) {
    Builder builder(&getContext());
    // Exchanges of a name are counted, as only one kind of step reduces whole
    // gradients.
    llvm::StringMap<unsigned> count;
    for (Operation &op : entry.getBody().front()) {
      auto start = dyn_cast<zero::CollectiveOpInterface>(op);
      if (!start)
        continue;
      std::string name = start.getCollectiveName().str();
      if (FlatSymbolRefAttr group = start.getCollectiveGroup())
        name += " " + group.getValue().str();
      name += " " + std::to_string(count[name]++);
      op.setAttr(isa<zero::GatherStartOp>(op) ? kAheadAttr : kBehindAttr,
                 builder.getI64IntegerAttr(
                     drawDistance(entry, "distance " + Twine(name))));
      if (isa<zero::GatherStartOp>(op) &&
          draw(entry, "reuse " + Twine(name)) % 2)
        op.setAttr(kReuseAttr, builder.getUnitAttr());
      if (draw(entry, "join " + Twine(name)) % 2)
        op.setAttr(zero::kJoinAttrName, builder.getUnitAttr());
    }
  }
};

} // namespace
