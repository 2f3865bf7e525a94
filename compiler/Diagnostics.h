#ifndef DSC_COMPILER_DIAGNOSTICS_H
#define DSC_COMPILER_DIAGNOSTICS_H

namespace mlir {
class Diagnostic;
}

namespace dsc {

/// Prints a diagnostic for the user of a model: `mlp.onnx: node 'fc1' (Gemm):
/// error: ...`, notes indented below. Places in an .onnx file are nodes, not
/// lines, so MLIR's own handler, which shows source lines, is of no use.
void printDiagnostic(mlir::Diagnostic &diagnostic);

} // namespace dsc

#endif // DSC_COMPILER_DIAGNOSTICS_H
