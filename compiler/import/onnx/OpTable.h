#ifndef DSC_COMPILER_IMPORT_ONNX_OPTABLE_H
#define DSC_COMPILER_IMPORT_ONNX_OPTABLE_H

#include "compiler/import/onnx/onnx.pb.h"
#include "mlir/Support/LLVM.h"

namespace dsc::onnx_import {

class NodeImporter;

/// Builds the operations of one node; sets its outputs. Fails after a
/// diagnostic at the node.
using ImportFunction = mlir::LogicalResult (*)(NodeImporter &);

// One declaration a function of the table.
#define ONNX_OP(OPERATOR, OPSET, FUNCTION)                                     \
  mlir::LogicalResult FUNCTION(NodeImporter &node);
#define ONNX_MICROSOFT_OP(OPERATOR, FUNCTION) ONNX_OP(OPERATOR, 1, FUNCTION)
#include "compiler/import/onnx/OnnxOpTable.def"

/// The function for `node` in a model of opset `opset`, or null if dsc does not
/// support its operator.
ImportFunction lookupImport(const onnx::NodeProto &node, int64_t opset);

/// True if a gradient of the node's results can give one of input `input`.
bool passesGradient(const onnx::NodeProto &node, unsigned input);

/// True if input `input` is a shape, an index or a setting.
bool isSettingInput(const onnx::NodeProto &node, unsigned input);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_OPTABLE_H
