#ifndef DSC_COMPILER_INSPECTPROGRAMS_H
#define DSC_COMPILER_INSPECTPROGRAMS_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace mlir {
class ModuleOp;
}

namespace dsc {

struct CompileOptions;
struct DecisionRow;

/// What --plan, --simulate and --timeline ask of a module in the form after the
/// lower stage: appends to `text` what is to be printed, and writes the
/// timeline. `decisions` are those of the schedule stage. Prints the reason for
/// a failure.
bool inspectPrograms(mlir::ModuleOp module, const CompileOptions &options,
                     llvm::ArrayRef<DecisionRow> decisions, std::string &text);

} // namespace dsc

#endif // DSC_COMPILER_INSPECTPROGRAMS_H
