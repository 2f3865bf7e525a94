#ifndef DSC_COMPILER_IMPORT_ONNX_INLINEFUNCTIONS_H
#define DSC_COMPILER_IMPORT_ONNX_INLINEFUNCTIONS_H

#include "compiler/import/onnx/Model.h"

namespace dsc::onnx_import {

/// Replaces every call of a function that the model defines by the function's
/// nodes, and fills `model.origins`. What a function computes on the way is
/// named CALL/NAME, where CALL names the calling node. Fails on functions that
/// call themselves and on graphs that would grow beyond all bounds.
llvm::LogicalResult inlineFunctions(Model &model);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_INLINEFUNCTIONS_H
