// Where an entry uses parameters, and where it goes from layer to layer.

#ifndef DSC_PASSES_PARTITION_PARAMETERUSES_H
#define DSC_PASSES_PARTITION_PARAMETERUSES_H

#include "passes/analysis/LayerNames.h"
#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Tells where a list of uses goes from one layer to another, in one pass. A
/// part of a layer (see getWholeLayer) is a layer of its own, but no other one
/// to that which it is a part of.
class LayerClock {
public:
  /// `layers` are those of the module.
  explicit LayerClock(const llvm::StringSet<> &layers) : layers(layers) {}

  /// Enters a use of a tensor of `layer`. Two uses that give the same number
  /// have nothing but that layer and its parts in between.
  unsigned enter(llvm::StringRef layer);

private:
  const llvm::StringSet<> &layers;
  llvm::StringRef current, currentWhole;
  unsigned changes = 0, wholeChanges = 0;
};

/// A use of a parameter's value by something else than a view.
struct ParameterUse {
  train::ParameterOp parameter;
  train::ReadOp read;
  mlir::OpOperand *use;
  /// Place of the user in the entry's list of operations.
  unsigned position;
};

/// All uses of float parameters with elements, directly or through views, in
/// the order of the users. Buffers are left out.
std::vector<ParameterUse> collectParameterUses(train::EntryOp entry,
                                               const StateMap &states);

/// Whether partition puts the parameter into a group.
bool belongsToGroup(train::ParameterOp parameter);

} // namespace dsc

#endif // DSC_PASSES_PARTITION_PARAMETERUSES_H
