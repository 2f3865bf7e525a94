#ifndef DSC_COMPILER_IMPORT_ONNX_BUILDMODULE_H
#define DSC_COMPILER_IMPORT_ONNX_BUILDMODULE_H

#include "compiler/import/onnx/Parameters.h"
#include "mlir/IR/OwningOpRef.h"

namespace dsc::onnx_import {

/// Builds the module of import form. Nodes without an importer, and all that
/// depends on them, are skipped without a word, so that the faults of other
/// nodes are found in the same run. Null after a diagnostic.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(const Graph &graph,
                                              const ParameterTable &parameters,
                                              llvm::StringRef trainingMode);

} // namespace dsc::onnx_import

#endif // DSC_COMPILER_IMPORT_ONNX_BUILDMODULE_H
