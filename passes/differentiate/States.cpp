#include "passes/differentiate/States.h"

using namespace mlir;
using namespace dsc;
using namespace dsc::train;

StateDeclarer::StateDeclarer(ModuleOp module)
    : module(module), symbols(module), builder(module.getContext()) {
  builder.setInsertionPointToStart(module.getBody());
  for (Operation &op : *module.getBody())
    if (isa<ParameterOp, StateOp>(op))
      builder.setInsertionPointAfter(&op);
}

bool StateDeclarer::claim(StringRef name) {
  Operation *taken = symbols.lookup(name);
  if (!taken)
    return true;
  hasConflict = true;
  taken->emitError("the name '")
      << name << "' is one that dsc gives to training state or entry points; "
      << "rename it in the model";
  return false;
}

std::string StateDeclarer::addOf(ParameterOp parameter, StringRef suffix,
                                 StateKind kind) {
  std::string name = (parameter.getSymName() + suffix).str();
  if (claim(name))
    symbols.insert(StateOp::create(builder, parameter.getLoc(), name,
                                   parameter.getType(), kind,
                                   parameter.getSymName()));
  return name;
}

void StateDeclarer::addScalar(StringRef name, StateKind kind) {
  Type elementType = kind == StateKind::Counter ? Type(builder.getI64Type())
                                                : Type(builder.getF64Type());
  if (claim(name))
    symbols.insert(StateOp::create(builder, module.getLoc(), name,
                                   RankedTensorType::get({}, elementType),
                                   kind));
}

void StateDeclarer::addSetting(StringRef name, double defaultValue,
                               StringRef help) {
  if (claim(name))
    symbols.insert(
        StateOp::create(builder, module.getLoc(), name, defaultValue, help));
}

SmallVector<ParameterOp> dsc::getTrainable(ModuleOp module) {
  return llvm::to_vector(
      llvm::make_filter_range(module.getOps<ParameterOp>(),
                              [](ParameterOp op) { return op.isTrainable(); }));
}
