#include "passes/differentiate/Forward.h"
#include "passes/differentiate/Names.h"
#include "passes/differentiate/Passes.h"
#include "passes/differentiate/States.h"
#include "passes/differentiate/TensorBuilder.h"

namespace dsc {
#define GEN_PASS_DEF_BUILDEVALPASS
#include "passes/differentiate/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {
class BuildEvalPass : public dsc::impl::BuildEvalPassBase<BuildEvalPass> {
public:
  using BuildEvalPassBase::BuildEvalPassBase;
  void runOnOperation() override;
};
} // namespace

void BuildEvalPass::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<Forward> forward = Forward::getWithLoss(module);
  if (failed(forward))
    return signalPassFailure();

  StateDeclarer states(module);
  states.addScalar(names::evalLossSum, train::StateKind::Accumulator);
  states.addScalar(names::evalWeight, train::StateKind::Accumulator);
  if (forward->correct)
    states.addScalar(names::evalCorrect, train::StateKind::Accumulator);
  (void)states.claim(names::eval);
  if (!states.succeeded())
    return signalPassFailure();

  SmallVector<Value> kept = forward->outputs;
  kept.append({forward->lossSum, forward->lossWeight});
  if (forward->correct)
    kept.push_back(forward->correct);
  IRMapping mapping;
  train::EntryOp eval = forward->cloneInto(
      module, names::eval, train::EntryKind::Eval, kept,
      llvm::to_vector(ValueRange(forward->outputs).getTypes()),
      forward->outputAttrs, mapping);

  OpBuilder builder = OpBuilder::atBlockEnd(&eval.getBody().front());
  Value sum = mapping.lookup(forward->lossSum);
  TensorBuilder t(builder, sum.getLoc());
  t.accumulate(names::evalLossSum, sum);
  t.accumulate(names::evalWeight, mapping.lookup(forward->lossWeight));
  if (forward->correct)
    t.accumulate(names::evalCorrect, mapping.lookup(forward->correct));
  auto outputs = llvm::map_to_vector(
      forward->outputs, [&](Value output) { return mapping.lookup(output); });
  train::ReturnOp::create(builder, eval.getLoc(), outputs);
}
