#ifndef DSC_CODEGEN_HOST_RUNTIMECALLS_H
#define DSC_CODEGEN_HOST_RUNTIMECALLS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace dsc {

/// Emits calls of the runtime, checked against dsrt_functions.def.
class RuntimeCalls {
public:
  /// `symbols` is that of the module to declare functions in.
  explicit RuntimeCalls(mlir::SymbolTable &symbols) : symbols(symbols) {}

  /// Calls `name` and returns its result, or null if it has none. Declares the
  /// function on first use. `name` and the arguments are ours, not a user's, so
  /// a mismatch is a defect, which the verifier of the call reports.
  mlir::Value call(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::StringRef name, mlir::ValueRange arguments);

private:
  mlir::LLVM::LLVMFuncOp declare(mlir::OpBuilder &builder, mlir::Location loc,
                                 llvm::StringRef name);

  mlir::SymbolTable &symbols;
};

} // namespace dsc

#endif // DSC_CODEGEN_HOST_RUNTIMECALLS_H
