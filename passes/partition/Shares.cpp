#include "passes/partition/Shares.h"
#include "dialects/interfaces/FusionOpInterface.h"
#include "dialects/nn/NnOps.h"

using namespace mlir;
using namespace dsc;

static bool isPart(Value value) {
  return !cast<ShapedType>(value.getType()).hasStaticShape();
}

bool dsc::isShare(Value value, const StateMap &states, train::EntryKind kind) {
  if (kind == train::EntryKind::Eval)
    return !isa_and_nonnull<zero::AllReduceOp>(value.getDefiningOp());
  // What `debug_update` says of a rank's part stays with the rank.
  if (!train::worksOnParts(kind) || kind == train::EntryKind::DebugUpdate)
    return false;
  if (auto read = value.getDefiningOp<train::ReadOp>()) {
    train::StateOp state = states.getState(read.getSymbolAttr().getAttr());
    return state && state.getKind() == train::StateKind::Accumulator;
  }
  // Only by a sum does a region over a part give a whole value.
  auto fusion = value.getDefiningOp<nn::FusionOp>();
  return fusion &&
         fusion.getKind() == stringifyFusionKind(FusionKind::Reduction) &&
         llvm::any_of(fusion.getInputs(), isPart);
}

bool dsc::needsWhole(OpOperand &use, const StateMap &states,
                     train::EntryKind kind) {
  if (!isShare(use.get(), states, kind))
    return false;
  return kind == train::EntryKind::Eval
             ? isa<train::AccumulateOp>(use.getOwner())
             : !isa<zero::AllReduceOp>(use.getOwner());
}
