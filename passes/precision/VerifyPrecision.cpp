#include "passes/precision/Passes.h"

namespace dsc {
#define GEN_PASS_DEF_VERIFYPRECISIONPASS
#include "passes/precision/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;
using namespace dsc::train;

namespace {
struct VerifyPrecisionPass
    : public dsc::impl::VerifyPrecisionPassBase<VerifyPrecisionPass> {
  using VerifyPrecisionPassBase::VerifyPrecisionPassBase;
  void runOnOperation() override;

private:
  LogicalResult verifyType(Operation *op, Type type);
  LogicalResult verifyState(StateOp state, const SymbolTable &symbols);
  LogicalResult verifyEntry(EntryOp entry);
};
} // namespace

/// (P1)
LogicalResult VerifyPrecisionPass::verifyType(Operation *op, Type type) {
  Type element = getElementTypeOrSelf(type);
  bool isComputable = element.isF64() || element.isInteger(64) ||
                      element.isInteger(32) || element.isInteger(1) ||
                      (element.isF32() && policy != "f64");
  if (isComputable)
    return success();
  return op->emitError("has element type ")
         << element << ", which policy '" << policy << "' does not leave";
}

LogicalResult VerifyPrecisionPass::verifyState(StateOp state,
                                               const SymbolTable &symbols) {
  if (failed(verifyType(state, state.getType())))
    return failure();
  // (P2)
  if (state.getParameter()) {
    auto parameter = symbols.lookup<ParameterOp>(*state.getParameter());
    if (parameter.getType() != state.getType()) {
      InFlightDiagnostic diagnostic = state.emitError("has type ")
                                      << state.getType()
                                      << ", expects that of its parameter";
      diagnostic.attachNote(parameter.getLoc())
          << "parameter has type " << parameter.getType();
      return diagnostic;
    }
    return success();
  }
  // (P3)
  Type element = state.getType().getElementType();
  bool mayBeInteger = state.getKind() == StateKind::Counter ||
                      state.getKind() == StateKind::Setting;
  bool mayBeFloat = state.getKind() != StateKind::Counter;
  if ((mayBeInteger && element.isInteger(64)) ||
      (mayBeFloat && element.isF64()))
    return success();
  return state.emitError("of kind '")
         << stringifyStateKind(state.getKind()) << "' must be "
         << (mayBeFloat ? "f64" : "")
         << (mayBeFloat && mayBeInteger ? " or " : "")
         << (mayBeInteger ? "i64" : "") << ", got " << element;
}

LogicalResult VerifyPrecisionPass::verifyEntry(EntryOp entry) {
  for (Type type : entry.getArgumentTypes())
    if (failed(verifyType(entry, type)))
      return failure();
  for (Operation &op : entry.getBody().front()) {
    for (Type type : op.getResultTypes())
      if (failed(verifyType(&op, type)))
        return failure();
    // (P4)
    if (auto castOp = dyn_cast<nn::CastOp>(op);
        castOp && castOp.getInput().getType() == castOp.getType())
      return castOp.emitError("converts ") << castOp.getType() << " to itself";
  }
  return success();
}

void VerifyPrecisionPass::runOnOperation() {
  markAllAnalysesPreserved();
  SymbolTable symbols(getOperation());
  for (Operation &op : *getOperation().getBody()) {
    LogicalResult result = success();
    if (auto parameter = dyn_cast<ParameterOp>(op))
      result = verifyType(parameter, parameter.getType());
    else if (auto state = dyn_cast<StateOp>(op))
      result = verifyState(state, symbols);
    else if (auto entry = dyn_cast<EntryOp>(op))
      result = verifyEntry(entry);
    if (failed(result))
      return signalPassFailure();
  }
}
