#include "compiler/import/onnx/NodeImporter.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

static LogicalResult finishGelu(NodeImporter &node, Value input,
                                nn::GeluApproximation approximation) {
  return node.finish(node.create<nn::GeluOp>(
      input,
      node.attr("approximate", nn::GeluApproximationAttr::get(
                                   node.builder.getContext(), approximation))));
}

LogicalResult onnx_import::importGelu(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  FailureOr<std::string> name = node.stringAttribute("approximate", "none");
  if (failed(name))
    return failure();
  std::optional<nn::GeluApproximation> approximation =
      nn::symbolizeGeluApproximation(*name);
  if (!approximation)
    return node.emitError()
           << "approximate '" << *name << "' is neither none nor tanh";
  return finishGelu(node, node.input(0), *approximation);
}

//===----------------------------------------------------------------------===//
// ONNX Runtime's own operators
//===----------------------------------------------------------------------===//

LogicalResult onnx_import::importMicrosoftGelu(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  return finishGelu(node, node.input(0), nn::GeluApproximation::none);
}

/// Input 0 plus the bias in input 1, if there is one.
static FailureOr<Value> addBias(NodeImporter &node) {
  if (!node.input(1))
    return node.input(0);
  if (failed(node.checkBroadcast(0, 1)))
    return failure();
  Value sum = node.createBroadcast<nn::AddOp>(node.input(0), node.input(1));
  if (!sum)
    return failure();
  return sum;
}

LogicalResult onnx_import::importBiasGelu(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)))
    return failure();
  FailureOr<Value> sum = addBias(node);
  return failed(sum) ? failure()
                     : finishGelu(node, *sum, nn::GeluApproximation::none);
}

LogicalResult onnx_import::importFastGelu(NodeImporter &node) {
  if (failed(node.checkInputs(1, 2)))
    return failure();
  FailureOr<Value> sum = addBias(node);
  return failed(sum) ? failure()
                     : finishGelu(node, *sum, nn::GeluApproximation::tanh);
}

/// `x * sigmoid(alpha * x)`
LogicalResult onnx_import::importQuickGelu(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  FailureOr<float> alpha = node.floatAttribute("alpha", 1.702f);
  if (failed(alpha))
    return failure();
  Value x = node.input(0);
  Value scaled = node.createBroadcast<nn::MulOp>(
      x, node.constantScalar(node.inputType(0).getElementType(), *alpha));
  return node.finish(
      node.create<nn::MulOp>({x, node.create<nn::SigmoidOp>(scaled)}));
}
