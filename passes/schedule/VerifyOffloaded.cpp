#include "passes/schedule/VerifyOffloaded.h"

using namespace mlir;
using namespace dsc;

static LogicalResult verifyGroups(ModuleOp module, const StateMap &states) {
  bool ok = true;
  llvm::DenseMap<Operation *, train::StateOp> firsts; // By group.
  for (auto state : module.getOps<train::StateOp>()) {
    if (state.getKind() != train::StateKind::Moment)
      continue;
    zero::GroupOp group = states.getGroupOf(state.getParameterAttr().getAttr());
    if (!group)
      continue;
    train::StateOp first = firsts.try_emplace(group, state).first->second;
    if (first.getOffloaded() == state.getOffloaded())
      continue;
    InFlightDiagnostic diagnostic =
        state.emitOpError(state.getOffloaded() ? "(S9) is offloaded, but @"
                                               : "(S9) is not offloaded, but @")
        << first.getSymName() << " of the same group @" << group.getSymName()
        << (first.getOffloaded() ? " is" : " is not");
    diagnostic.attachNote(first.getLoc()) << "the other state is here";
    ok = false;
  }
  return success(ok);
}

static LogicalResult verifyAccess(Operation *op, const StateMap &states) {
  auto accesses = getStateAccesses(op, states);
  if (!accesses)
    return success();
  bool moves = isa<zero::LoadStartOp, zero::StoreStartOp>(op);
  for (const StateAccess &access : *accesses) {
    train::StateOp state = states.getState(access.symbol);
    bool offloaded = state && state.getOffloaded();
    if (offloaded == moves)
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError();
    if (moves)
      diagnostic << "(S9) moves @" << access.symbol.getValue()
                 << ", which is not offloaded";
    else
      diagnostic << "(S9) touches offloaded @" << access.symbol.getValue()
                 << ", which can only be loaded and stored";
    return diagnostic;
  }
  return success();
}

LogicalResult dsc::verifyOffloaded(ModuleOp module, const StateMap &states) {
  bool ok = succeeded(verifyGroups(module, states));
  for (auto entry : module.getOps<train::EntryOp>())
    for (Operation &op : entry.getBody().front())
      ok &= succeeded(verifyAccess(&op, states));
  return success(ok);
}
