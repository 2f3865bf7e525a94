/// Declares the state that training adds to a module.

#ifndef DSC_PASSES_DIFFERENTIATE_STATES_H
#define DSC_PASSES_DIFFERENTIATE_STATES_H

#include "dialects/train/TrainOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace dsc {

/// Appends `train.state` operations behind the symbols that a module declares
/// already, in the order of the calls. A name that the user's model has taken
/// is reported at the user's symbol; `succeeded` tells whether any was.
class StateDeclarer {
public:
  explicit StateDeclarer(mlir::ModuleOp module);

  /// A gradient or moment: one tensor of the parameter's type.
  std::string addOf(train::ParameterOp parameter, llvm::StringRef suffix,
                    train::StateKind kind);
  /// A scalar that starts at zero: i64 for counters, else f64.
  void addScalar(llvm::StringRef name, train::StateKind kind);
  void addSetting(llvm::StringRef name, double defaultValue,
                  llvm::StringRef help);

  /// Whether `name` is free for a symbol of dsc's own.
  bool claim(llvm::StringRef name);
  bool succeeded() const { return !hasConflict; }

private:
  mlir::ModuleOp module;
  /// Kept up to date here: to look up in the module itself is to walk over it.
  mlir::SymbolTable symbols;
  mlir::OpBuilder builder;
  bool hasConflict = false;
};

/// The parameters of `module` that are trained, in program order.
llvm::SmallVector<train::ParameterOp> getTrainable(mlir::ModuleOp module);

} // namespace dsc

#endif // DSC_PASSES_DIFFERENTIATE_STATES_H
