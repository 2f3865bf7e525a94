#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "passes/schedule/InplaceSafety.h"
#include "passes/schedule/Passes.h"

#include "mlir/IR/Remarks.h"

namespace dsc {
#define GEN_PASS_DEF_ASSIGNINPLACEPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

void assignInplace(nn::FusionOp fusion, const InplaceSafety &safety) {
  SmallVector<int64_t> inplace(fusion.getNumResults(), -1);
  for (unsigned result = 0; result < fusion.getNumResults(); ++result) {
    std::optional<unsigned> operand =
        InplaceSafety::findOperand(fusion, result);
    if (!operand)
      continue;
    std::string hazard = safety.getHazard(fusion, result, *operand);
    if (hazard.empty()) {
      inplace[result] = *operand;
      continue;
    }
    remark::missed(fusion.getLoc(),
                   remark::RemarkOpts::name("NotInplace").category("schedule"))
        << ("result " + Twine(result) +
            " does not overwrite its state because " + hazard)
               .str();
  }
  if (llvm::any_of(inplace, [](int64_t operand) { return operand >= 0; }))
    fusion.setInplace(inplace);
}

struct AssignInplacePass : dsc::impl::AssignInplacePassBase<AssignInplacePass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>()) {
      Block &block = entry.getBody().front();
      InplaceSafety safety(block, states);
      for (auto fusion : block.getOps<nn::FusionOp>())
        assignInplace(fusion, safety);
    }
  }
};

} // namespace
