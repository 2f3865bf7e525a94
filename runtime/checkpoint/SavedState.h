#ifndef DSC_RUNTIME_CHECKPOINT_SAVEDSTATE_H
#define DSC_RUNTIME_CHECKPOINT_SAVEDSTATE_H

#include "runtime/data/CheckpointManifest.h"
#include "runtime/program/Layout.h"

namespace dsc::runtime {

/// Whether a state is part of a checkpoint: all are but gradients, which are
/// zero between updates, and staging.
bool isSaved(const Manifest::State &state);

/// Whether a state of this class and kind may be missing, since its first value
/// is right by definition: sums and reports, which are written before they are
/// read, and settings, which have defaults.
bool mayBeMissing(std::string_view stateClass, std::string_view kind);

/// `parameter`, `optimizer`, `scalar`, as in both manifests.
std::string_view nameOfClass(const Manifest::State &state);

/// The hash by which people see whether two checkpoints are of one model.
std::string modelHashOf(const Manifest &manifest);

/// Whether a checkpoint has exactly the states of the module. The error lists
/// the first few tensors that differ.
Status checkSameModel(const CheckpointManifest &checkpoint,
                      const Manifest &module);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHECKPOINT_SAVEDSTATE_H
