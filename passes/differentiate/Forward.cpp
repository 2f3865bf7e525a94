#include "passes/differentiate/Forward.h"

#include "dialects/nn/NnOps.h"
#include "passes/differentiate/Names.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace dsc;

FailureOr<Forward> Forward::get(ModuleOp module) {
  Forward forward;
  forward.function = module.lookupSymbol<func::FuncOp>(names::forward);
  if (!forward.function || !forward.function.getBody().hasOneBlock())
    return module.emitError(
        "expects the model as func.func @forward with one block");

  Operation *terminator = forward.function.getBody().front().getTerminator();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto role = forward.function.getResultAttrOfType<StringAttr>(
        index, names::roleAttr);
    if (!role) {
      forward.outputs.push_back(value);
      forward.outputAttrs.push_back(forward.function.getResultAttrDict(index));
    } else if (role == names::lossSumRole) {
      forward.lossSum = value;
    } else if (role == names::lossWeightRole) {
      forward.lossWeight = value;
      if (auto nominal = forward.function.getResultAttrOfType<FloatAttr>(
              index, names::nominalAttr))
        forward.nominal = nominal.getValueAsDouble();
    } else if (role == names::correctRole) {
      forward.correct = value;
    }
  }
  return forward;
}

FailureOr<Forward> Forward::getWithLoss(ModuleOp module) {
  FailureOr<Forward> forward = get(module);
  if (succeeded(forward) && (!forward->lossSum || !forward->lossWeight))
    return forward->function.emitError(
        "has no loss; run differentiate-attach-loss first");
  return forward;
}

/// The operand that stands for the result of an operation which only training
/// needs, in an entry of another kind; else null.
static Value getPassedOn(Operation &op, train::EntryKind kind) {
  auto dropout = dyn_cast<nn::DropoutOp>(op);
  bool trains =
      kind == train::EntryKind::Step || kind == train::EntryKind::StepLast;
  return dropout && !trains ? dropout.getInput() : Value();
}

train::EntryOp Forward::cloneInto(ModuleOp module, StringRef name,
                                  train::EntryKind kind, ValueRange kept,
                                  ArrayRef<Type> results,
                                  ArrayRef<DictionaryAttr> resultAttrs,
                                  IRMapping &mapping) {
  SmallVector<DictionaryAttr> argAttrs;
  function.getAllArgAttrs(argAttrs);
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto entry = train::EntryOp::create(
      builder, function.getLoc(), name, kind,
      builder.getFunctionType(function.getArgumentTypes(), results), argAttrs,
      resultAttrs);

  Block &source = function.getBody().front();
  llvm::DenseSet<Value> live(kept.begin(), kept.end());
  llvm::DenseSet<Operation *> needed;
  for (Operation &op : llvm::reverse(source)) {
    if (llvm::none_of(op.getResults(),
                      [&](Value result) { return live.contains(result); }))
      continue;
    if (Value passed = getPassedOn(op, kind)) {
      live.insert(passed);
      continue;
    }
    needed.insert(&op);
    live.insert_range(op.getOperands());
  }

  Block &body = entry.getBody().front();
  mapping.map(source.getArguments(), body.getArguments());
  builder.setInsertionPointToEnd(&body);
  for (Operation &op : source) {
    if (needed.contains(&op))
      builder.clone(op, mapping);
    else if (Value passed = getPassedOn(op, kind);
             passed && live.contains(op.getResult(0)))
      mapping.map(op.getResult(0), mapping.lookup(passed));
  }
  return entry;
}
