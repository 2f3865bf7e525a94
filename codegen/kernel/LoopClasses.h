// Which loops of a kernel's nests run over the same dimension.

#ifndef DSC_CODEGEN_KERNEL_LOOPCLASSES_H
#define DSC_CODEGEN_KERNEL_LOOPCLASSES_H

#include "codegen/kernel/GridPlan.h"

#include "llvm/ADT/IntEqClasses.h"

namespace dsc {

/// Loops of all iteration domains, joined where one nest reads along a loop
/// what another wrote along it.
class LoopClasses {
public:
  explicit LoopClasses(llvm::ArrayRef<mlir::linalg::LinalgOp> nests);

  unsigned getClass(mlir::linalg::LinalgOp nest, unsigned loop) const {
    return classes[first.lookup(nest) + loop];
  }
  unsigned getNumClasses() const { return classes.getNumClasses(); }

private:
  void join(mlir::linalg::LinalgOp nest, mlir::OpOperand &operand);

  llvm::DenseMap<mlir::Operation *, unsigned> first;
  llvm::IntEqClasses classes;
};

} // namespace dsc

#endif // DSC_CODEGEN_KERNEL_LOOPCLASSES_H
