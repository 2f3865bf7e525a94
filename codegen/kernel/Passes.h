#ifndef DSC_CODEGEN_KERNEL_PASSES_H
#define DSC_CODEGEN_KERNEL_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace dsc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/kernel/Passes.h.inc"

/// Appends the passes that turn every kernel of a module into loops on buffers
/// of scalar arithmetic (scf, memref, arith, math). Target-neutral.
void buildKernelPipeline(mlir::OpPassManager &modulePasses);

/// Registers `dsc-kernel` for dsc-opt.
void registerKernelPipeline();

} // namespace dsc

#endif // DSC_CODEGEN_KERNEL_PASSES_H
