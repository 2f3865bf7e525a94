#include "passes/analysis/StateAccess.h"
#include "dialects/interfaces/FusionOpInterface.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dsc;

//===----------------------------------------------------------------------===//
// StateMap
//===----------------------------------------------------------------------===//

StateMap::StateMap(ModuleOp module) {
  for (Operation &op : *module.getBody()) {
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      symbols.try_emplace(symbol.getNameAttr(), &op);
    if (auto state = dyn_cast<train::StateOp>(op);
        state && state.getKind() == train::StateKind::Gradient)
      gradients.try_emplace(state.getParameterAttr().getAttr(), state);
    if (auto group = dyn_cast<zero::GroupOp>(op))
      for (zero::SegmentAttr segment : group.getSegmentRange())
        groups.try_emplace(segment.getTensor().getAttr(), group);
  }
}

train::ParameterOp StateMap::getParameter(StringAttr symbol) const {
  return dyn_cast_or_null<train::ParameterOp>(symbols.lookup(symbol));
}

train::StateOp StateMap::getState(StringAttr symbol) const {
  return dyn_cast_or_null<train::StateOp>(symbols.lookup(symbol));
}

zero::GroupOp StateMap::getGroup(StringAttr symbol) const {
  return dyn_cast_or_null<zero::GroupOp>(symbols.lookup(symbol));
}

train::ParameterOp StateMap::getOwner(StringAttr symbol) const {
  if (train::StateOp state = getState(symbol))
    return state.getParameter()
               ? getParameter(state.getParameterAttr().getAttr())
               : train::ParameterOp();
  return getParameter(symbol);
}

train::StateOp StateMap::getGradient(StringAttr parameter) const {
  return gradients.lookup(parameter);
}

zero::GroupOp StateMap::getGroupOf(StringAttr parameter) const {
  return groups.lookup(parameter);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::optional<SmallVector<StateAccess, 2>>
dsc::getStateAccesses(Operation *op, const StateMap &states) {
  using Accesses = SmallVector<StateAccess, 2>;
  auto read = [](FlatSymbolRefAttr symbol) {
    return Accesses{{symbol.getAttr(), true, false}};
  };
  auto write = [](FlatSymbolRefAttr symbol) {
    return Accesses{{symbol.getAttr(), false, true}};
  };
  auto gradient = [&](StringAttr parameter) -> StateAccess {
    train::StateOp state = states.getGradient(parameter);
    // Without an accumulator the access still needs a name to be ordered by.
    return {state ? state.getSymNameAttr() : parameter, true, true};
  };
  // Collectives touch the parameters or gradients of all their segments.
  auto segments = [&](FlatSymbolRefAttr name, bool gradients,
                      bool writes = false) {
    Accesses accesses;
    if (zero::GroupOp group = states.getGroup(name.getAttr()))
      for (zero::SegmentAttr segment : group.getSegmentRange()) {
        StringAttr tensor = segment.getTensor().getAttr();
        accesses.push_back(gradients ? gradient(tensor)
                                     : StateAccess{tensor, true, writes});
      }
    return accesses;
  };

  if (isMemoryEffectFree(op))
    return Accesses();
  return llvm::TypeSwitch<Operation *, std::optional<Accesses>>(op)
      .Case<train::ReadOp, zero::ReadPartOp>(
          [&](auto op) { return read(op.getSymbolAttr()); })
      .Case<train::WriteOp, zero::WritePartOp>(
          [&](auto op) { return write(op.getSymbolAttr()); })
      .Case([&](zero::LoadStartOp op) { return read(op.getSymbolAttr()); })
      .Case([&](zero::StoreStartOp op) { return write(op.getSymbolAttr()); })
      .Case([&](train::AccumulateOp op) {
        return Accesses{{op.getSymbolAttr().getAttr(), true, true}};
      })
      .Case([&](train::GradientOp op) {
        return Accesses{gradient(op.getParameterAttr().getAttr())};
      })
      .Case<zero::GatherOp, zero::GatherStartOp>(
          [&](auto op) { return segments(op.getGroupAttr(), false); })
      .Case<zero::ReduceScatterOp, zero::ReduceScatterStartOp,
            zero::AllReduceGradientsOp, zero::AllReduceGradientsStartOp,
            zero::ReduceGradientsOp, zero::ReduceGradientsStartOp>(
          [&](auto op) { return segments(op.getGroupAttr(), true); })
      .Case<zero::RefreshOp, zero::RefreshStartOp>([&](auto op) {
        return segments(op.getGroupAttr(), false, /*writes=*/true);
      })
      // These touch values and tokens only.
      .Case<zero::ReleaseOp, zero::GatherAwaitOp, zero::AllReduceOp,
            zero::AllReduceStartOp, zero::AllReduceAwaitOp,
            zero::ReduceGradientsAwaitOp, zero::RefreshAwaitOp,
            zero::LoadAwaitOp, zero::StoreAwaitOp>(
          [](auto) { return Accesses(); })
      .Default([](Operation *) { return std::nullopt; });
}

bool dsc::isView(Operation *op) {
  auto fusible = dyn_cast<FusionOpInterface>(op);
  return fusible && fusible.getFusionKind() == FusionKind::View;
}
