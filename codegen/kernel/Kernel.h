#ifndef DSC_CODEGEN_KERNEL_KERNEL_H
#define DSC_CODEGEN_KERNEL_KERNEL_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dsc {

/// Attributes of kernel functions. `exec.kernel`, `exec.kind` and
/// `exec.inplace` arrive with the function, the others are left by
/// kernel-tile-grid for whoever launches it.
namespace kernel {
inline constexpr llvm::StringLiteral kKernel = "exec.kernel";
inline constexpr llvm::StringLiteral kKind = "exec.kind";
inline constexpr llvm::StringLiteral kInplace = "exec.inplace";
/// Extent of the dimension that the grid cuts; absent if it is `?`.
inline constexpr llvm::StringLiteral kUnits = "exec.units";
/// Argument and dimension that have this extent; present if it is `?`.
inline constexpr llvm::StringLiteral kUnitsFrom = "exec.units_from";
/// Units a grid index.
inline constexpr llvm::StringLiteral kGrain = "exec.grain";

inline bool isKernel(mlir::func::FuncOp function) {
  return function->hasAttr(kKernel) && !function.isExternal();
}

/// Whether the kernel still has to be cut into tiles.
inline bool isOnTensors(mlir::func::FuncOp function) {
  return isKernel(function) && !function->hasAttr(kGrain);
}

/// The operand whose buffer result `index` overwrites, or -1.
inline int64_t getInplaceOperand(mlir::func::FuncOp function, unsigned index) {
  auto inplace = function->getAttrOfType<mlir::DenseI64ArrayAttr>(kInplace);
  return inplace && index < inplace.size() ? inplace[index] : -1;
}
} // namespace kernel
} // namespace dsc

#endif // DSC_CODEGEN_KERNEL_KERNEL_H
