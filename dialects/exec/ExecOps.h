/// The one header of the exec dialect: dialect, enums, attributes, interfaces,
/// ops.

#ifndef DSC_DIALECTS_EXEC_EXECOPS_H
#define DSC_DIALECTS_EXEC_EXECOPS_H

#include "dialects/exec/ExecDialect.h"
#include "dialects/exec/ExecPlace.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/exec/ExecEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/exec/ExecAttrs.h.inc"

#include "dialects/exec/ExecInterfaces.h.inc"

namespace dsc::exec {
class GroupOp;

/// Function attribute that marks a kernel.
inline constexpr llvm::StringLiteral kKernelAttr = "exec.kernel";
/// Kernel attribute: the fusion kind, as a string.
inline constexpr llvm::StringLiteral kKindAttr = "exec.kind";
/// Kernel attribute: for each result the argument whose memory it overwrites,
/// or -1. Absent: none.
inline constexpr llvm::StringLiteral kInplaceAttr = "exec.inplace";
/// Kernel attribute: units of work a grid index. Code generation sets it when
/// it puts the kernel on buffers, and the types of the function are then its
/// own.
inline constexpr llvm::StringLiteral kGrainAttr = "exec.grain";

/// Bytes of one element; i1 occupies a byte.
int64_t getElementBytes(mlir::Type elementType);
/// Bytes of a static view.
int64_t getViewBytes(mlir::MemRefType type);
} // namespace dsc::exec

#define GET_OP_CLASSES
#include "dialects/exec/ExecOps.h.inc"

#endif // DSC_DIALECTS_EXEC_EXECOPS_H
