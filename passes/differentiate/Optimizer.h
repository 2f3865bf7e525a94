/// Optimizers: which state and settings they have, and their formulas.

#ifndef DSC_PASSES_DIFFERENTIATE_OPTIMIZER_H
#define DSC_PASSES_DIFFERENTIATE_OPTIMIZER_H

#include "passes/differentiate/Passes.h"
#include "passes/differentiate/States.h"
#include "passes/differentiate/TensorBuilder.h"
#include <memory>

namespace dsc {

/// A parameter with its moments, before or after an update.
struct ParameterState {
  mlir::Value parameter;
  llvm::SmallVector<mlir::Value, 2> moments;
};

class Optimizer {
public:
  virtual ~Optimizer() = default;

  /// The optimizer that `options` ask for. Reports at `loc` a choice that does
  /// not exist or does not fit another one.
  static mlir::FailureOr<std::unique_ptr<Optimizer>>
  create(const AttachOptimizerPassOptions &options, mlir::Location loc);

  /// Suffixes of the moment states of a parameter.
  virtual llvm::SmallVector<llvm::StringRef, 2> getMoments() const = 0;

  virtual void declareSettings(StateDeclarer &states) const = 0;

  /// The numbers that the formula needs for every parameter, as scalars in f64,
  /// of which `spread` in `apply` is given the index. `lr` is the rate of this
  /// update and `count` its number, from 1; `beta1` replaces the setting of
  /// that name, unless it is null.
  virtual llvm::SmallVector<mlir::Value>
  buildScalars(TensorBuilder &t, mlir::Value lr, mlir::Value beta1,
               mlir::Value count) const = 0;

  /// The state after the update, elementwise in the parameter's type. `spread`
  /// returns a scalar as a tensor of the parameter's type.
  virtual ParameterState
  apply(TensorBuilder &t, const ParameterState &old, mlir::Value gradient,
        bool decays,
        llvm::function_ref<mlir::Value(unsigned)> spread) const = 0;
};

} // namespace dsc

#endif // DSC_PASSES_DIFFERENTIATE_OPTIMIZER_H
