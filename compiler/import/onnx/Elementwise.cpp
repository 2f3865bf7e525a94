#include "compiler/import/onnx/NodeImporter.h"
#include "compiler/import/onnx/TensorData.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

//===----------------------------------------------------------------------===//
// One input
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult importUnary(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  return node.finish(node.create<OpTy>(node.input(0)));
}

LogicalResult onnx_import::importAbs(NodeImporter &node) {
  return importUnary<nn::AbsOp>(node);
}
LogicalResult onnx_import::importCos(NodeImporter &node) {
  return importUnary<nn::CosOp>(node);
}
LogicalResult onnx_import::importErf(NodeImporter &node) {
  return importUnary<nn::ErfOp>(node);
}
LogicalResult onnx_import::importExp(NodeImporter &node) {
  return importUnary<nn::ExpOp>(node);
}
LogicalResult onnx_import::importLog(NodeImporter &node) {
  return importUnary<nn::LogOp>(node);
}
LogicalResult onnx_import::importNeg(NodeImporter &node) {
  return importUnary<nn::NegOp>(node);
}
LogicalResult onnx_import::importReciprocal(NodeImporter &node) {
  return importUnary<nn::ReciprocalOp>(node);
}
LogicalResult onnx_import::importRelu(NodeImporter &node) {
  return importUnary<nn::ReluOp>(node);
}
LogicalResult onnx_import::importSigmoid(NodeImporter &node) {
  return importUnary<nn::SigmoidOp>(node);
}
LogicalResult onnx_import::importSin(NodeImporter &node) {
  return importUnary<nn::SinOp>(node);
}
LogicalResult onnx_import::importSqrt(NodeImporter &node) {
  return importUnary<nn::SqrtOp>(node);
}
LogicalResult onnx_import::importTanh(NodeImporter &node) {
  return importUnary<nn::TanhOp>(node);
}

//===----------------------------------------------------------------------===//
// Two inputs of one shape after broadcasting
//===----------------------------------------------------------------------===//

template <typename OpTy> static LogicalResult importBinary(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)) || failed(node.checkBroadcast(0, 1)))
    return failure();
  return node.finish(node.createBroadcast<OpTy>(node.input(0), node.input(1)));
}

LogicalResult onnx_import::importAdd(NodeImporter &node) {
  return importBinary<nn::AddOp>(node);
}
LogicalResult onnx_import::importDiv(NodeImporter &node) {
  return importBinary<nn::DivOp>(node);
}
LogicalResult onnx_import::importMul(NodeImporter &node) {
  return importBinary<nn::MulOp>(node);
}
LogicalResult onnx_import::importSub(NodeImporter &node) {
  return importBinary<nn::SubOp>(node);
}

LogicalResult onnx_import::importPow(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)))
    return failure();
  // From opset 12 on the exponent may have a type of its own.
  Value exponent = node.input(1);
  Type element = node.inputType(0).getElementType();
  if (node.inputType(1).getElementType() != element)
    exponent = node.create<nn::CastOp>(exponent, {},
                                       Type(node.inputType(1).clone(element)));
  return node.finish(node.createBroadcast<nn::PowOp>(node.input(0), exponent));
}

/// Operators that take any number of inputs.
template <typename OpTy>
static LogicalResult importVariadic(NodeImporter &node) {
  if (failed(node.checkInputs(1, ~0u)))
    return failure();
  Value result = node.input(0);
  for (unsigned i = 1; i != node.inputCount(); ++i) {
    if (!node.input(i))
      return node.emitError() << "input " << i << " is required";
    if (failed(node.checkBroadcast(0, i)))
      return failure();
    result = node.createBroadcast<OpTy>(result, node.input(i));
  }
  return node.finish(result);
}

LogicalResult onnx_import::importMax(NodeImporter &node) {
  return importVariadic<nn::MaxOp>(node);
}
LogicalResult onnx_import::importMin(NodeImporter &node) {
  return importVariadic<nn::MinOp>(node);
}
LogicalResult onnx_import::importSum(NodeImporter &node) {
  return importVariadic<nn::AddOp>(node);
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

LogicalResult onnx_import::importCast(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  FailureOr<int64_t> to = node.intAttribute("to", 0);
  if (failed(to))
    return failure();
  int dataType = *to >= 0 && *to <= INT_MAX ? int(*to) : -1;
  Type element = elementType(dataType, node.builder.getContext());
  if (!element)
    return node.emitError() << "casts to " << dataTypeName(dataType)
                            << ", an element type that is not supported";
  if (element == node.inputType(0).getElementType())
    return node.finish(node.input(0));
  return node.finish(node.create<nn::CastOp>(
      node.input(0), {}, Type(node.inputType(0).clone(element))));
}

LogicalResult onnx_import::importCastLike(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)))
    return failure();
  Type element = node.inputType(1).getElementType();
  if (element == node.inputType(0).getElementType())
    return node.finish(node.input(0));
  return node.finish(node.create<nn::CastOp>(
      node.input(0), {}, Type(node.inputType(0).clone(element))));
}

/// `min(max(x, low), high)`, so that `high` wins where bounds cross. An absent
/// bound is null.
static LogicalResult clip(NodeImporter &node, Value low, Value high) {
  Value result = node.input(0);
  if (low)
    result = node.createBroadcast<nn::MaxOp>(result, low);
  if (high && result)
    result = node.createBroadcast<nn::MinOp>(result, high);
  return node.finish(result);
}

/// Bounds are attributes until opset 10.
LogicalResult onnx_import::importClipOfAttribute(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  auto bound = [&](StringRef name) -> FailureOr<Value> {
    auto found = node.attribute(name, onnx::AttributeProto::FLOAT);
    if (failed(found))
      return failure();
    return *found ? node.constantScalar(node.inputType(0).getElementType(),
                                        (*found)->f())
                  : Value();
  };
  FailureOr<Value> low = bound("min"), high = bound("max");
  return failed(low) || failed(high) ? failure() : clip(node, *low, *high);
}

LogicalResult onnx_import::importClipOfInput(NodeImporter &node) {
  if (failed(node.checkInputs(1, 3)))
    return failure();
  for (unsigned i : {1u, 2u})
    if (node.input(i) && failed(node.checkBroadcast(0, i)))
      return failure();
  return clip(node, node.input(1), node.input(2));
}

LogicalResult onnx_import::importIdentity(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  return node.finish(node.input(0));
}
