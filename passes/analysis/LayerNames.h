// Which layer of the model a parameter belongs to, told by its name.

#ifndef DSC_PASSES_ANALYSIS_LAYERNAMES_H
#define DSC_PASSES_ANALYSIS_LAYERNAMES_H

#include "dialects/train/TrainOps.h"

namespace dsc {

/// The longest proper prefix of `name` that ends in a number before a
/// separator, or nothing: "h.11" of "h.11.mlp.weight", "fc1" of "fc1.bias".
llvm::StringRef getLayerName(llvm::StringRef name);

/// The layer of a parameter by its name, or by the name that it likely had
/// before an exporter dropped it.
llvm::StringRef getLayerName(train::ParameterOp parameter);

/// The layer of a parameter; one without a layer is a layer of its own.
llvm::StringRef getLayerOrName(train::ParameterOp parameter);

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_LAYERNAMES_H
