#include "dialects/zero/ZeroOps.h"

using namespace mlir;
using namespace dsc::zero;

#include "dialects/zero/ZeroInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/zero/ZeroOps.cpp.inc"

GroupOp dsc::zero::lookupGroup(Operation *from, FlatSymbolRefAttr name,
                               SymbolTableCollection &tables) {
  return tables.lookupNearestSymbolFrom<GroupOp>(from, name);
}

int64_t dsc::zero::getGroupBytes(Operation *from, FlatSymbolRefAttr name,
                                 SymbolTableCollection &tables) {
  GroupOp group = lookupGroup(from, name, tables);
  return group ? group.getBytes() : 0;
}

int64_t dsc::zero::getValueBytes(ValueRange values) {
  int64_t bytes = 0;
  for (Type type : values.getTypes()) {
    auto shaped = cast<ShapedType>(type);
    bytes += shaped.getNumElements() * shaped.getElementTypeBitWidth() / 8;
  }
  return bytes;
}

int64_t GroupOp::getBytes() {
  return static_cast<int64_t>(getElements()) *
         getType().getIntOrFloatBitWidth() / 8;
}

//===----------------------------------------------------------------------===//
// CollectiveOpInterface
//===----------------------------------------------------------------------===//

// One name for both forms, so that lists before and after schedule compare.
StringRef GatherOp::getCollectiveName() { return "gather"; }
StringRef GatherStartOp::getCollectiveName() { return "gather"; }
StringRef ReduceScatterOp::getCollectiveName() { return "reduce_scatter"; }
StringRef ReduceScatterStartOp::getCollectiveName() { return "reduce_scatter"; }
StringRef AllReduceGradientsOp::getCollectiveName() {
  return "all_reduce_gradients";
}
StringRef AllReduceGradientsStartOp::getCollectiveName() {
  return "all_reduce_gradients";
}
StringRef ReduceGradientsOp::getCollectiveName() { return "reduce_gradients"; }
StringRef ReduceGradientsStartOp::getCollectiveName() {
  return "reduce_gradients";
}
StringRef RefreshOp::getCollectiveName() { return "refresh"; }
StringRef RefreshStartOp::getCollectiveName() { return "refresh"; }
StringRef AllReduceOp::getCollectiveName() { return "all_reduce"; }
StringRef AllReduceStartOp::getCollectiveName() { return "all_reduce"; }

FlatSymbolRefAttr AllReduceOp::getCollectiveGroup() { return {}; }
FlatSymbolRefAttr AllReduceStartOp::getCollectiveGroup() { return {}; }

int64_t AllReduceOp::getPayloadBytes(SymbolTableCollection &) {
  return getValueBytes(getValues());
}
int64_t AllReduceStartOp::getPayloadBytes(SymbolTableCollection &) {
  return getValueBytes(getValues());
}
