#ifndef DSC_DIALECTS_INTERFACES_COSTOPINTERFACE_H
#define DSC_DIALECTS_INTERFACES_COSTOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace dsc {

/// c[batch, m, n] = a[batch, m, k] b[batch, k, n]: 2 batch m n k FLOPs.
struct MatrixProduct {
  int64_t batch, m, n, k;
  mlir::Type elementType;
};

} // namespace dsc

#include "dialects/interfaces/CostOpInterface.h.inc"

#endif // DSC_DIALECTS_INTERFACES_COSTOPINTERFACE_H
