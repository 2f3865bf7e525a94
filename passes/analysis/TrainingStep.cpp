#include "passes/analysis/TrainingStep.h"

using namespace mlir;
using namespace dsc;

Operation *dsc::findForwardEnd(train::EntryOp entry) {
  if (!entry.isStep())
    return nullptr;
  for (auto accumulate : entry.getBody().front().getOps<train::AccumulateOp>())
    if (accumulate.getSymbol() == kLossWeight)
      return accumulate;
  return nullptr;
}
