#include "dialects/nn/NnCost.h"
#include "dialects/nn/NnOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace dsc::nn;

#include "dialects/nn/NnDialect.cpp.inc"

void NnDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/nn/NnOps.cpp.inc"
      >();
  attachCosts(*this);
}

Operation *NnDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}
