#ifndef DSC_DIALECTS_NN_NNDIALECT_H
#define DSC_DIALECTS_NN_NNDIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialects/nn/NnDialect.h.inc"

#endif // DSC_DIALECTS_NN_NNDIALECT_H
