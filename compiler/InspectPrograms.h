#ifndef DSC_COMPILER_INSPECTPROGRAMS_H
#define DSC_COMPILER_INSPECTPROGRAMS_H

#include <string>

namespace mlir {
class ModuleOp;
}

namespace dsc {

struct CompileOptions;

/// What --plan, --simulate and --timeline ask of a module in the form after the
/// lower stage: appends to `text` what is to be printed, and writes the
/// timeline. Prints the reason for a failure.
bool inspectPrograms(mlir::ModuleOp module, const CompileOptions &options,
                     std::string &text);

} // namespace dsc

#endif // DSC_COMPILER_INSPECTPROGRAMS_H
