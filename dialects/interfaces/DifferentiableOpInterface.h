#ifndef DSC_DIALECTS_INTERFACES_DIFFERENTIABLEOPINTERFACE_H
#define DSC_DIALECTS_INTERFACES_DIFFERENTIABLEOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"

namespace dsc {

/// Marks an operation whose derivative is zero wherever it exists.
template <typename ConcreteType>
class ZeroGradient
    : public mlir::OpTrait::TraitBase<ConcreteType, ZeroGradient> {};

} // namespace dsc

#include "dialects/interfaces/DifferentiableOpInterface.h.inc"

#endif // DSC_DIALECTS_INTERFACES_DIFFERENTIABLEOPINTERFACE_H
