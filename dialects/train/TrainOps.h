/// The one header of the train dialect: dialect, enums, attributes, ops.

#ifndef DSC_DIALECTS_TRAIN_TRAINOPS_H
#define DSC_DIALECTS_TRAIN_TRAINOPS_H

#include "dialects/train/TrainDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/train/TrainEnums.h.inc"

namespace dsc::train {
/// True for entries that see states alone, of which each rank may work on its
/// part: `update`, `layer_norms` and `debug_update`.
inline bool worksOnParts(EntryKind kind) {
  return kind == EntryKind::Update || kind == EntryKind::LayerNorms ||
         kind == EntryKind::DebugUpdate;
}
} // namespace dsc::train

#define GET_ATTRDEF_CLASSES
#include "dialects/train/TrainAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/train/TrainOps.h.inc"

#endif // DSC_DIALECTS_TRAIN_TRAINOPS_H
