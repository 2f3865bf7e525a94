#ifndef DSC_DIALECTS_INTERFACES_LINALGLOWERINGOPINTERFACE_H
#define DSC_DIALECTS_INTERFACES_LINALGLOWERINGOPINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/interfaces/LinalgLoweringOpInterface.h.inc"

#endif // DSC_DIALECTS_INTERFACES_LINALGLOWERINGOPINTERFACE_H
