#ifndef DSC_COMPILER_PARAMETERTABLE_H
#define DSC_COMPILER_PARAMETERTABLE_H

namespace llvm {
class raw_ostream;
}
namespace mlir {
class ModuleOp;
}

namespace dsc {

/// `dsc --params`: one line a parameter with its role, shape and the reason
/// for the role, then the count of trained elements, and the names and ties
/// that the exporter seems to have lost. `module` is in
/// differentiated form, where it is known which parameters a gradient reaches.
void printParameterTable(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace dsc

#endif // DSC_COMPILER_PARAMETERTABLE_H
