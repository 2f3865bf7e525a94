#include "passes/schedule/Passes.h"
#include "passes/schedule/Recompute.h"
#include "passes/schedule/RecomputeCandidates.h"

#include "mlir/IR/Remarks.h"

namespace dsc {
#define GEN_PASS_DEF_MARKBLOCKSPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

void markBlocks(train::EntryOp entry, const StateMap &states) {
  int64_t bytes = 0;
  llvm::DenseSet<unsigned> runs;
  for (const RecomputeCandidate &candidate :
       collectRecomputable(entry, states)) {
    bytes += candidate.bytes;
    runs.insert(candidate.run);
    for (nn::FusionOp region : candidate.regions)
      region->setAttr(kRecomputeAttr, UnitAttr::get(entry.getContext()));
  }
  if (runs.empty() && entry.getKind() == train::EntryKind::Step)
    entry.emitWarning("recomputation by blocks saves nothing: no layer but the "
                      "last has values of its own that backward uses");
  if (!runs.empty())
    remark::passed(
        entry.getLoc(),
        remark::RemarkOpts::name("RecomputedBlocks").category("schedule"))
        << ("backward of " + entry.getSymName() + " computes " +
            Twine(runs.size()) + " layers again and finds " + Twine(bytes) +
            " bytes less")
               .str();
}

struct MarkBlocksPass : dsc::impl::MarkBlocksPassBase<MarkBlocksPass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      if (entry.isStep())
        markBlocks(entry, states);
  }
};

} // namespace
