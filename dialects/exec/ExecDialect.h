#ifndef DSC_DIALECTS_EXEC_EXECDIALECT_H
#define DSC_DIALECTS_EXEC_EXECDIALECT_H

#include "mlir/IR/Dialect.h"

#include "dialects/exec/ExecDialect.h.inc"

#endif // DSC_DIALECTS_EXEC_EXECDIALECT_H
