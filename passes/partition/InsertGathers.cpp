#include "dialects/interfaces/FusionOpInterface.h"
#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"
#include "passes/partition/ParameterUses.h"
#include "passes/partition/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

namespace dsc {
#define GEN_PASS_DEF_INSERTGATHERSPASS
#include "passes/partition/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// Uses of one group's tensors between which no other layer is used.
struct Run {
  zero::GroupOp group;
  SmallVector<const ParameterUse *> uses;
};

/// Cuts the uses of an entry into runs, in one pass over them.
SmallVector<Run> findRuns(ArrayRef<ParameterUse> uses, const StateMap &states,
                          const llvm::StringSet<> &layers) {
  SmallVector<Run> runs;
  LayerClock clock(layers);
  // The time of the last use of each group, and the run of that use.
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> last;
  for (const ParameterUse &use : uses) {
    train::ParameterOp parameter = use.parameter;
    zero::GroupOp group = states.getGroupOf(parameter.getSymNameAttr());
    if (!group || group.getStage() < 3)
      continue;
    // Groups of loose tensors are layers, too.
    StringRef layer = getLayerName(parameter);
    if (layer.empty())
      layer = group.getSymName();
    unsigned time = clock.enter(layer);
    auto [it, isFirst] = last.try_emplace(group, time, runs.size());
    if (isFirst || it->second.first != time) {
      it->second = {time, runs.size()};
      runs.push_back({group, {}});
    }
    runs[it->second.second].uses.push_back(&use);
  }
  return runs;
}

/// Gives outputs that are gathered tensors, or views of them, a copy to return,
/// which outlives their release.
void copyOutputs(train::EntryOp entry, ArrayRef<ParameterUse> uses,
                 const StateMap &states) {
  Operation *end = entry.getBody().front().getTerminator();
  OpBuilder builder(end);
  for (const ParameterUse &use : uses) {
    train::ParameterOp parameter = use.parameter;
    zero::GroupOp group = states.getGroupOf(parameter.getSymNameAttr());
    if (use.use->getOwner() != end || !group || group.getStage() < 3)
      continue;
    train::ReadOp read = use.read;
    Value value = use.use->get();
    auto copy =
        nn::FusionOp::create(builder, read.getLoc(), value.getType(), value,
                             stringifyFusionKind(FusionKind::Elementwise));
    OpBuilder body = OpBuilder::atBlockEnd(copy.getBody());
    nn::YieldOp::create(body, read.getLoc(), copy.getBodyArgument(0));
    use.use->set(copy.getResult(0));
  }
}

struct InsertGathersPass : dsc::impl::InsertGathersPassBase<InsertGathersPass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    llvm::StringSet<> layers = collectLayers(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      if (!entry.worksOnParts())
        insertGathers(entry, states, layers);
  }

  void insertGathers(train::EntryOp entry, const StateMap &states,
                     const llvm::StringSet<> &layers) {
    copyOutputs(entry, collectParameterUses(entry, states), states);
    std::vector<ParameterUse> uses = collectParameterUses(entry, states);
    llvm::SetVector<Operation *> dead;
    for (const Run &run : findRuns(uses, states, layers))
      insertGather(run, states, dead);
    // Views stand after what they view.
    for (Operation *op : llvm::reverse(dead))
      if (op->use_empty())
        op->erase();
  }

  void insertGather(const Run &run, const StateMap &states,
                    llvm::SetVector<Operation *> &dead) {
    Operation *first = run.uses.front()->use->getOwner();
    Operation *last = run.uses.back()->use->getOwner();
    zero::GroupOp group = run.group;
    OpBuilder builder(first);
    SmallVector<Type> types;
    llvm::DenseMap<StringAttr, unsigned> numbers;
    for (zero::SegmentAttr segment : group.getSegmentRange()) {
      StringAttr tensor = segment.getTensor().getAttr();
      numbers[tensor] = types.size();
      types.push_back(states.getParameter(tensor).getType());
    }
    auto name = FlatSymbolRefAttr::get(group.getSymNameAttr());
    auto axis = FlatSymbolRefAttr::get(builder.getContext(), zero::kWorldAxis);
    auto gather =
        zero::GatherOp::create(builder, first->getLoc(), types, name, axis);

    // Views of a tensor are made again for each run, from what it gathered.
    IRMapping mapping;
    auto rebuild = [&](auto &&self, Value value) -> Value {
      if (Value gathered = mapping.lookupOrNull(value))
        return gathered;
      Operation *view = value.getDefiningOp();
      self(self, view->getOperand(0));
      dead.insert(view);
      return builder.clone(*view, mapping)->getResult(0);
    };
    for (const ParameterUse *use : run.uses) {
      train::ReadOp read = use->read;
      StringAttr tensor = read.getSymbolAttr().getAttr();
      mapping.map(read.getResult(), gather.getResult(numbers.lookup(tensor)));
      dead.insert(read);
      use->use->set(rebuild(rebuild, use->use->get()));
    }
    builder.setInsertionPointAfter(last);
    zero::ReleaseOp::create(builder, last->getLoc(), name, gather.getResults());
    remark::passed(first->getLoc(),
                   remark::RemarkOpts::name("Gathered").category("partition"))
        << ("gathers " + group.getSymName() + " for " + Twine(run.uses.size()) +
            " uses")
               .str();
  }
};

} // namespace
