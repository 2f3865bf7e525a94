#ifndef DSC_DIALECTS_INTERFACES_FUSIONOPINTERFACE_H
#define DSC_DIALECTS_INTERFACES_FUSIONOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace dsc {

/// The loop nest that an operation needs, from none to the most demanding.
enum class FusionKind {
  View,        ///< Another shape of the same bytes; needs no kernel.
  Constant,    ///< No operands; cloned into its users.
  Broadcast,   ///< Reads an operand through a smaller index; cloned likewise.
  Elementwise, ///< Result element i needs operand elements i only.
  Transpose,   ///< A permutation of indices; every element moves.
  Reduction,   ///< Combines elements along some dimensions.
  Row,         ///< Needs a whole row (last dimension) to make any element.
  Index,       ///< Reads operands at computed places; a loop nest of its own.
  Scatter,     ///< Adds elements at places that an operand tells.
  Contraction, ///< A matrix product, given to a provider.
  Composite,   ///< Rewritten into other operations before regions form.
};

/// The name of the kind in remarks and in `nn.fusion kind(...)`.
llvm::StringRef stringifyFusionKind(FusionKind kind);

} // namespace dsc

#include "dialects/interfaces/FusionOpInterface.h.inc"

#endif // DSC_DIALECTS_INTERFACES_FUSIONOPINTERFACE_H
