// Which parameters and states the operations of an entry touch. What keeps two
// operations in program order besides SSA values is written down here, once.

#ifndef DSC_PASSES_ANALYSIS_STATEACCESS_H
#define DSC_PASSES_ANALYSIS_STATEACCESS_H

#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace dsc {

/// The parameters, states and groups of a module and how they belong together.
/// Built once, in one walk over the module's symbols; not updated afterwards.
class StateMap {
public:
  explicit StateMap(mlir::ModuleOp module);

  /// Null where `symbol` names something else.
  train::ParameterOp getParameter(mlir::StringAttr symbol) const;
  train::StateOp getState(mlir::StringAttr symbol) const;
  zero::GroupOp getGroup(mlir::StringAttr symbol) const;

  /// The parameter that `symbol` is, or whose gradient or moment it is; null
  /// for every other state.
  train::ParameterOp getOwner(mlir::StringAttr symbol) const;

  /// The gradient accumulator of a parameter, or null.
  train::StateOp getGradient(mlir::StringAttr parameter) const;

  /// The group whose segment `parameter` is, or null.
  zero::GroupOp getGroupOf(mlir::StringAttr parameter) const;

private:
  llvm::DenseMap<mlir::StringAttr, mlir::Operation *> symbols;
  llvm::DenseMap<mlir::StringAttr, train::StateOp> gradients;
  llvm::DenseMap<mlir::StringAttr, zero::GroupOp> groups;
};

/// One parameter or state that an operation touches.
struct StateAccess {
  mlir::StringAttr symbol;
  bool reads;
  bool writes;
};

/// What `op` touches: empty for pure operations, nothing if `op` has effects
/// that are not understood and must stay in order with all others.
std::optional<llvm::SmallVector<StateAccess, 2>>
getStateAccesses(mlir::Operation *op, const StateMap &states);

/// Whether `op` gives another shape to the bytes of its operand. A view touches
/// nothing, but its users touch what it views.
bool isView(mlir::Operation *op);

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_STATEACCESS_H
