/// Builders, accessors and printed names. Verifiers: TrainVerify.cpp; the
/// function-like entry op: TrainEntry.cpp.

#include "dialects/train/TrainOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dsc::train;

#define GET_OP_CLASSES
#include "dialects/train/TrainOps.cpp.inc"

//===----------------------------------------------------------------------===//
// ParameterOp
//===----------------------------------------------------------------------===//

void ParameterOp::build(OpBuilder &builder, OperationState &state,
                        StringRef name, RankedTensorType type,
                        ParameterRole role, StringRef reason,
                        Attribute initial) {
  build(builder, state, builder.getStringAttr(name), /*sym_visibility=*/nullptr,
        TypeAttr::get(type), ParameterRoleAttr::get(builder.getContext(), role),
        builder.getStringAttr(reason), initial, /*onnx_name=*/nullptr,
        /*storage=*/nullptr, /*ties=*/nullptr);
}

Type ParameterOp::getStorageElementType() {
  return getStorage().value_or(getType().getElementType());
}

//===----------------------------------------------------------------------===//
// StateOp
//===----------------------------------------------------------------------===//

void StateOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    RankedTensorType type, StateKind kind) {
  build(builder, state, builder.getStringAttr(name), /*sym_visibility=*/nullptr,
        TypeAttr::get(type), StateKindAttr::get(builder.getContext(), kind),
        /*parameter=*/nullptr, /*default_value=*/nullptr, /*help=*/nullptr,
        /*offloaded=*/UnitAttr());
}

void StateOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    RankedTensorType type, StateKind kind,
                    StringRef parameter) {
  build(builder, state, builder.getStringAttr(name), /*sym_visibility=*/nullptr,
        TypeAttr::get(type), StateKindAttr::get(builder.getContext(), kind),
        FlatSymbolRefAttr::get(builder.getContext(), parameter),
        /*default_value=*/nullptr, /*help=*/nullptr,
        /*offloaded=*/UnitAttr());
}

void StateOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    double defaultValue, StringRef help) {
  auto scalar = RankedTensorType::get({}, builder.getF64Type());
  build(builder, state, builder.getStringAttr(name), /*sym_visibility=*/nullptr,
        TypeAttr::get(scalar),
        StateKindAttr::get(builder.getContext(), StateKind::Setting),
        /*parameter=*/nullptr, builder.getF64FloatAttr(defaultValue),
        builder.getStringAttr(help), /*offloaded=*/UnitAttr());
}

//===----------------------------------------------------------------------===//
// ReadOp
//===----------------------------------------------------------------------===//

void ReadOp::getAsmResultNames(OpAsmSetValueNameFn setNameFn) {
  setNameFn(getResult(), getSymbol());
}
