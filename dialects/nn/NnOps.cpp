#include "dialects/nn/NnOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace dsc;
using namespace dsc::nn;

#include "dialects/nn/NnEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/nn/NnOps.cpp.inc"

bool nn::areCompatible(TypeRange inferred, TypeRange actual) {
  if (inferred.size() != actual.size())
    return false;
  return llvm::all_of(llvm::zip(inferred, actual), [](auto pair) {
    auto [a, b] = pair;
    return getElementTypeOrSelf(a) == getElementTypeOrSelf(b) &&
           succeeded(verifyCompatibleShape(a, b));
  });
}

/// `value` as an attribute of a float, integer or truth type.
static TypedAttr getScalarAttr(Type elementType, double value) {
  if (isa<FloatType>(elementType))
    return FloatAttr::get(elementType, value);
  if (elementType.isInteger(1))
    return IntegerAttr::get(elementType, value != 0);
  return IntegerAttr::get(elementType, static_cast<int64_t>(value));
}

Value nn::createSplat(OpBuilder &builder, Location loc, RankedTensorType type,
                      double value) {
  TypedAttr scalar = getScalarAttr(type.getElementType(), value);
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, scalar));
}
