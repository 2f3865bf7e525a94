#include "passes/differentiate/Forward.h"

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
  if (!forward.lossSum || !forward.lossWeight)
    return forward.function.emitError(
        "has no loss; run differentiate-attach-loss first");
  return forward;
}

train::EntryOp Forward::cloneInto(StringRef name, train::EntryKind kind,
                                  ValueRange kept, ArrayRef<Type> results,
                                  ArrayRef<DictionaryAttr> resultAttrs,
                                  IRMapping &mapping) {
  SmallVector<DictionaryAttr> argAttrs;
  function.getAllArgAttrs(argAttrs);
  auto module = function->getParentOfType<ModuleOp>();
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
    needed.insert(&op);
    live.insert_range(op.getOperands());
  }

  Block &body = entry.getBody().front();
  mapping.map(source.getArguments(), body.getArguments());
  builder.setInsertionPointToEnd(&body);
  for (Operation &op : source)
    if (needed.contains(&op))
      builder.clone(op, mapping);
  return entry;
}
