/// Which operations lie between trained parameters and the loss.

#ifndef DSC_PASSES_DIFFERENTIATE_GRADIENTPATHS_H
#define DSC_PASSES_DIFFERENTIATE_GRADIENTPATHS_H

#include "dialects/train/TrainOps.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

namespace dsc {

/// The paths along which a gradient flows in one block: forwards from the reads
/// of trainable parameters, backwards from the loss, through operands that a
/// gradient can pass. Valid while the block's operations do not change.
class GradientPaths {
public:
  /// `module` declares the parameters.
  GradientPaths(mlir::Block &block, mlir::Value loss, mlir::Operation *module);

  /// Whether a trained parameter changes `value` smoothly.
  bool dependsOnParameter(mlir::Value value) const {
    return dependent.contains(value);
  }
  /// Whether `value` lies on a path from a trained parameter to the loss, so
  /// that its gradient is wanted.
  bool isOnPath(mlir::Value value) const {
    return dependent.contains(value) && reaching.contains(value);
  }
  /// Whether the gradient by this operand is wanted.
  bool isOnPath(mlir::OpOperand &operand) const;

  /// A trained parameter that `value` depends on; null if there is none.
  train::ParameterOp getParameter(mlir::Value value) const {
    return dependent.lookup(value);
  }

private:
  /// Values that depend on a trained parameter, with one such parameter.
  llvm::DenseMap<mlir::Value, train::ParameterOp> dependent;
  /// Values that the loss depends on.
  llvm::DenseSet<mlir::Value> reaching;
};

} // namespace dsc

#endif // DSC_PASSES_DIFFERENTIATE_GRADIENTPATHS_H
