#ifndef DSC_CODEGEN_HOST_PASSES_H
#define DSC_CODEGEN_HOST_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace dsc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/host/Passes.h.inc"

} // namespace dsc

#endif // DSC_CODEGEN_HOST_PASSES_H
