#include "passes/differentiate/GradientPaths.h"

#include "dialects/interfaces/DifferentiableOpInterface.h"

using namespace mlir;
using namespace dsc;

/// Whether a gradient can pass from the results to this operand. An operation
/// without a rule lets it pass here, so that it shows up on the path and can be
/// reported.
static bool letsGradientPass(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto differentiable = dyn_cast<DifferentiableOpInterface>(op))
    return differentiable.isDifferentiableOperand(operand.getOperandNumber());
  if (op->hasTrait<ZeroGradient>())
    return false;
  return isa<FloatType>(getElementTypeOrSelf(operand.get().getType()));
}

GradientPaths::GradientPaths(Block &block, Value loss, Operation *module) {
  SymbolTable symbols(module);
  for (Operation &op : block) {
    if (auto read = dyn_cast<train::ReadOp>(op)) {
      auto parameter = symbols.lookup<train::ParameterOp>(read.getSymbol());
      if (parameter && parameter.isTrainable())
        dependent.try_emplace(read.getResult(), parameter);
      continue;
    }
    for (OpOperand &operand : op.getOpOperands()) {
      train::ParameterOp parameter = getParameter(operand.get());
      if (!parameter || !letsGradientPass(operand))
        continue;
      for (Value result : op.getResults())
        if (isa<FloatType>(getElementTypeOrSelf(result.getType())))
          dependent.try_emplace(result, parameter);
    }
  }

  reaching.insert(loss);
  for (Operation &op : llvm::reverse(block)) {
    if (llvm::none_of(op.getResults(),
                      [&](Value result) { return reaching.contains(result); }))
      continue;
    for (OpOperand &operand : op.getOpOperands())
      if (letsGradientPass(operand))
        reaching.insert(operand.get());
  }
}

bool GradientPaths::isOnPath(OpOperand &operand) const {
  return isOnPath(operand.get()) && letsGradientPass(operand) &&
         llvm::any_of(operand.getOwner()->getResults(),
                      [&](Value result) { return isOnPath(result); });
}
