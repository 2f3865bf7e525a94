#include "passes/analysis/Collectives.h"
#include "dialects/nn/NnOps.h"
#include "passes/analysis/StateAccess.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace dsc;

SmallVector<Collective> dsc::listCollectives(train::EntryOp entry) {
  SmallVector<Collective> list;
  SymbolTableCollection tables;
  for (Operation &op : entry.getBody().front())
    if (auto collective = dyn_cast<zero::CollectiveOpInterface>(op)) {
      FlatSymbolRefAttr group = collective.getCollectiveGroup();
      list.push_back({&op, collective.getCollectiveName(),
                      collective.getCollectiveAxis().getAttr(),
                      group ? group.getAttr() : StringAttr(),
                      collective.getPayloadBytes(tables)});
    }
  return list;
}

bool dsc::isReductionOfWhole(Operation *op) {
  return isa<zero::AllReduceGradientsOp, zero::AllReduceGradientsStartOp,
             zero::ReduceGradientsOp, zero::ReduceGradientsStartOp>(op);
}

/// Whether `step` and `stepLast`, of one set, exchange the same but for the
/// gradients that only the latter sums.
static LogicalResult verifyEqualSteps(train::EntryOp step,
                                      train::EntryOp stepLast) {
  SmallVector<Collective> list = listCollectives(step);
  SmallVector<Collective> lastList = listCollectives(stepLast);
  llvm::erase_if(lastList, [](const Collective &collective) {
    return isReductionOfWhole(collective.op);
  });
  auto [it, lastIt] =
      std::mismatch(list.begin(), list.end(), lastList.begin(), lastList.end());
  if (it == list.end() && lastIt == lastList.end())
    return success();
  Operation *culprit = it != list.end() ? it->op : lastIt->op;
  InFlightDiagnostic diagnostic =
      culprit->emitError("is not the same exchange in 'step' and 'step_last'");
  if (it != list.end() && lastIt != lastList.end())
    diagnostic.attachNote(lastIt->op->getLoc()) << "'step_last' has this";
  return diagnostic;
}

LogicalResult dsc::verifyEqualSteps(ModuleOp module) {
  // The two of a set follow each other.
  train::EntryOp step;
  for (auto entry : module.getOps<train::EntryOp>()) {
    if (entry.getKind() == train::EntryKind::Step)
      step = entry;
    else if (entry.getKind() == train::EntryKind::StepLast && step &&
             failed(::verifyEqualSteps(step, entry)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

/// Reports the readers of `value`, and of views of it, that stand after
/// `release`.
static LogicalResult verifyNotReadAfter(Value value, zero::ReleaseOp release) {
  for (Operation *user : value.getUsers()) {
    if (user != release && release->isBeforeInBlock(user)) {
      InFlightDiagnostic diagnostic =
          user->emitError("reads a gathered tensor of ")
          << release.getGroupAttr() << " after its release";
      diagnostic.attachNote(release.getLoc()) << "released here";
      return diagnostic;
    }
    if (isView(user) && failed(verifyNotReadAfter(user->getResult(0), release)))
      return failure();
  }
  return success();
}

static LogicalResult verifyGatherLifetime(Operation *gather) {
  zero::ReleaseOp release;
  for (Operation *user : gather->getUsers()) {
    auto other = dyn_cast<zero::ReleaseOp>(user);
    if (!other || other == release)
      continue;
    if (release)
      return other.emitOpError("releases what another operation releases too");
    release = other;
  }
  if (!release)
    return gather->emitOpError("gathers tensors that nothing releases");
  for (Value tensor : gather->getResults())
    if (failed(verifyNotReadAfter(tensor, release)))
      return failure();
  return success();
}

LogicalResult dsc::verifyGatherLifetimes(train::EntryOp entry) {
  LogicalResult result = success();
  for (Operation &op : entry.getBody().front())
    if (isa<zero::GatherOp, zero::GatherAwaitOp>(op) &&
        failed(verifyGatherLifetime(&op)))
      result = failure();
  return result;
}

LogicalResult dsc::verifyNoBranch(train::EntryOp entry) {
  for (Operation &op : entry.getBody().front())
    if (op.getNumSuccessors() != 0 ||
        (op.getNumRegions() != 0 && !isa<nn::FusionOp>(op)))
      return op.emitError("branches or holds a region; an entry is one "
                          "straight list of operations");
  return success();
}
