#include "dialects/exec/ExecDialect.h"
#include "dialects/exec/ExecOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dsc::exec;

#include "dialects/exec/ExecDialect.cpp.inc"

#include "dialects/exec/ExecEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/exec/ExecAttrs.cpp.inc"

#include "dialects/exec/ExecInterfaces.cpp.inc"

void ExecDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/exec/ExecAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/exec/ExecOps.cpp.inc"
      >();
}
