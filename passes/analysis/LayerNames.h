// Which layer of the model a parameter belongs to, told by its name.

#ifndef DSC_PASSES_ANALYSIS_LAYERNAMES_H
#define DSC_PASSES_ANALYSIS_LAYERNAMES_H

#include "dialects/train/TrainOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace dsc {

/// The longest proper prefix of `name` that ends in a number before a
/// separator, or nothing: "h.11" of "h.11.mlp.weight", "fc1" of "fc1.bias".
llvm::StringRef getLayerName(llvm::StringRef name);

/// The layer of a parameter by its name, or by the name that it likely had
/// before an exporter dropped it.
llvm::StringRef getLayerName(train::ParameterOp parameter);

/// The layer of a parameter; one without a layer is a layer of its own.
llvm::StringRef getLayerOrName(train::ParameterOp parameter);

/// The layers of all parameters of a module.
llvm::StringSet<> collectLayers(mlir::ModuleOp module);

/// The layer of `layers` that `layer` is a part of, or itself: `h.0` for
/// `h.0.ln_1`. A number alone begins a layer that is no part
/// (`encoder1.layers.0` in `encoder1`).
llvm::StringRef getWholeLayer(llvm::StringRef layer,
                              const llvm::StringSet<> &layers);

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_LAYERNAMES_H
