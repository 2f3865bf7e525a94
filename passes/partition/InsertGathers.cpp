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
SmallVector<Run> findRuns(ArrayRef<ParameterUse> uses, const StateMap &states) {
  SmallVector<Run> runs;
  // How often the layer in use changed so far, and what that was at the last
  // use of each group with its run.
  unsigned changes = 0;
  StringRef current;
  llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> last;
  for (const ParameterUse &use : uses) {
    train::ParameterOp parameter = use.parameter;
    zero::GroupOp group = states.getGroupOf(parameter.getSymNameAttr());
    if (!group || group.getStage() < 3)
      continue;
    // Groups of loose tensors are layers, too.
    StringRef layer = getLayerName(parameter.getSymName());
    if (layer.empty())
      layer = group.getSymName();
    if (layer != current) {
      current = layer;
      ++changes;
    }
    auto [it, isFirst] = last.try_emplace(group, changes, runs.size());
    if (isFirst || it->second.first != changes) {
      it->second = {changes, runs.size()};
      runs.push_back({group, {}});
    }
    runs[it->second.second].uses.push_back(&use);
  }
  return runs;
}

/// Where one parameter's tensor is among the results of its group's gather.
unsigned getSegmentNumber(zero::GroupOp group, train::ParameterOp parameter) {
  auto segments = group.getSegmentRange();
  auto it = llvm::find_if(segments, [&](zero::SegmentAttr segment) {
    return segment.getTensor().getAttr() == parameter.getSymNameAttr();
  });
  return std::distance(segments.begin(), it);
}

struct InsertGathersPass : dsc::impl::InsertGathersPassBase<InsertGathersPass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      if (entry.getKind() != train::EntryKind::Update &&
          failed(insertGathers(entry, states)))
        return signalPassFailure();
  }

  LogicalResult insertGathers(train::EntryOp entry, const StateMap &states) {
    std::vector<ParameterUse> uses = collectParameterUses(entry, states);
    llvm::SetVector<Operation *> dead;
    for (const Run &run : findRuns(uses, states))
      if (failed(insertGather(run, states, dead)))
        return failure();
    // Views stand after what they view.
    for (Operation *op : llvm::reverse(dead))
      if (op->use_empty())
        op->erase();
    return success();
  }

  LogicalResult insertGather(const Run &run, const StateMap &states,
                             llvm::SetVector<Operation *> &dead) {
    Operation *first = run.uses.front()->use->getOwner();
    Operation *last = run.uses.back()->use->getOwner();
    if (last->hasTrait<OpTrait::IsTerminator>()) {
      ParameterUse use = *run.uses.back();
      return use.read.emitError("parameter @")
             << use.parameter.getSymName()
             << " is itself an output, which -zero=3 cannot return; use "
                "-zero=0 or take it out of the outputs";
    }
    zero::GroupOp group = run.group;
    OpBuilder builder(first);
    SmallVector<Type> types;
    for (zero::SegmentAttr segment : group.getSegmentRange())
      types.push_back(
          states.getParameter(segment.getTensor().getAttr()).getType());
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
      mapping.map(read.getResult(),
                  gather.getResult(getSegmentNumber(group, use->parameter)));
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
    return success();
  }
};

} // namespace
