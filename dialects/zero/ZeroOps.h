// Everything of the zero dialect: dialect, attributes, types, interface, ops.

#ifndef DSC_DIALECTS_ZERO_ZEROOPS_H
#define DSC_DIALECTS_ZERO_ZEROOPS_H

#include "dialects/zero/ZeroDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_ATTRDEF_CLASSES
#include "dialects/zero/ZeroAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/zero/ZeroTypes.h.inc"

namespace dsc::zero {

class GroupOp;

/// The group that `name` refers to in the module around `from`, or null.
GroupOp lookupGroup(mlir::Operation *from, mlir::FlatSymbolRefAttr name,
                    mlir::SymbolTableCollection &tables);

/// Bytes of the flat space of a group, 0 if there is no such group.
int64_t getGroupBytes(mlir::Operation *from, mlir::FlatSymbolRefAttr name,
                      mlir::SymbolTableCollection &tables);

/// Bytes that values of static shape hold together.
int64_t getValueBytes(mlir::ValueRange values);

/// Name of the axis that joins all ranks, the only one that exists so far.
inline constexpr llvm::StringLiteral kWorldAxis = "world";

/// On a module: the largest number of ranks that may run it.
inline constexpr llvm::StringLiteral kMaxWorldAttrName = "zero.max_world";

/// Decisions of the schedule stage, as attributes of operations, which the
/// passes that apply them take away.
inline constexpr llvm::StringLiteral kDecisionAttrNames[] = {
    "zero.recompute", "zero.reuse", "zero.ahead", "zero.behind"};

/// On a start: it travels in one message with the start directly before it.
inline constexpr llvm::StringLiteral kJoinAttrName = "zero.join";

/// The operation ends what the start that gave its token began.
template <typename ConcreteOp>
class AwaitTrait : public mlir::OpTrait::TraitBase<ConcreteOp, AwaitTrait> {};

} // namespace dsc::zero

#include "dialects/zero/ZeroInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/zero/ZeroOps.h.inc"

#endif // DSC_DIALECTS_ZERO_ZEROOPS_H
