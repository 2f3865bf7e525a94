// Where in the user's model an operation comes from.

#ifndef DSC_PASSES_ANALYSIS_MODELPLACE_H
#define DSC_PASSES_ANALYSIS_MODELPLACE_H

#include "mlir/IR/Location.h"

namespace dsc {

/// The innermost place of the model that `loc` names, such as a node; empty for
/// IR that was not imported.
llvm::StringRef getModelPlace(mlir::Location loc);

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_MODELPLACE_H
