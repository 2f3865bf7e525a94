#ifndef DSC_DIALECTS_ZERO_ZERODIALECT_H
#define DSC_DIALECTS_ZERO_ZERODIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialects/zero/ZeroDialect.h.inc"

#endif // DSC_DIALECTS_ZERO_ZERODIALECT_H
