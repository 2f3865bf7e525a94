// Where an entry uses parameters, and to which layer a parameter belongs.

#ifndef DSC_PASSES_PARTITION_PARAMETERUSES_H
#define DSC_PASSES_PARTITION_PARAMETERUSES_H

#include "passes/analysis/StateAccess.h"

namespace dsc {

/// The longest proper prefix of `name` that ends in a number before a
/// separator, or nothing: "h.11" of "h.11.mlp.weight", "fc1" of "fc1.bias".
llvm::StringRef getLayerName(llvm::StringRef name);

/// The layer of a parameter; one without a layer is a layer of its own.
llvm::StringRef getLayerOrName(train::ParameterOp parameter);

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
