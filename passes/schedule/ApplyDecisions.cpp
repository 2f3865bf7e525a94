#include "passes/schedule/ApplyDecisions.h"

#include "passes/schedule/KeepGathered.h"
#include "passes/schedule/MoveCollectives.h"
#include "passes/schedule/OffloadStates.h"
#include "passes/schedule/Recompute.h"

bool dsc::isDecision(llvm::StringRef attribute) {
  return llvm::is_contained(zero::kDecisionAttrNames, attribute) ||
         attribute == zero::kJoinAttrName;
}

void dsc::applyDecisions(train::EntryOp entry, const StateMap &states,
                         bool overlaps, MessageBounds bounds, bool explain) {
  recomputeRegions(entry, explain);
  keepGathered(entry, states);
  offloadStates(entry, states, overlaps);
  moveCollectives(entry, states);
  joinCollectives(entry, states, bounds, explain);
}
