#include "dialects/zero/ZeroDialect.h"
#include "dialects/zero/ZeroOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dsc::zero;

#include "dialects/zero/ZeroDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/zero/ZeroAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/zero/ZeroTypes.cpp.inc"

void ZeroDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/zero/ZeroAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/zero/ZeroTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/zero/ZeroOps.cpp.inc"
      >();
}

LogicalResult SegmentAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  FlatSymbolRefAttr tensor, int64_t offset,
                                  int64_t elements) {
  if (offset < 0) // C1
    return emitError() << "segment of " << tensor << " begins at " << offset
                       << ", before its group";
  if (elements <= 0) // C1
    return emitError() << "segment of " << tensor << " has " << elements
                       << " elements; leave empty tensors out of groups";
  return success();
}
