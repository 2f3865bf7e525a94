#include "compiler/import/onnx/NodeImporter.h"
#include "compiler/import/onnx/TensorData.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

/// A statistic of each row, in the shape that ONNX gives it: with a 1 for each
/// normalised dimension, and in the type that the statistic is kept in.
static Value finishStatistic(NodeImporter &node, Value statistic, int64_t axis,
                             Type element) {
  auto type = cast<RankedTensorType>(statistic.getType());
  if (type.getElementType() != element)
    statistic =
        node.create<nn::CastOp>(statistic, {}, Type(type.clone(element)));
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq(axis, node.inputType(0).getRank()));
  return node.create<nn::UnsqueezeOp>(statistic, node.attr("dims", dims));
}

/// Checks that scale or bias, input `i`, has exactly the shape of a row.
static LogicalResult checkRow(NodeImporter &node, unsigned i, int64_t axis) {
  RankedTensorType input = node.inputType(0), row = node.inputType(i);
  ArrayRef<int64_t> wanted = input.getShape().drop_front(axis);
  if (row.getElementType() == input.getElementType() &&
      succeeded(verifyCompatibleShape(row.getShape(), wanted)))
    return success();
  return node.emitError() << "input " << node.describeInput(i) << " of "
                          << row.getElementType() << " does not have the shape "
                          << shapeText(wanted) << " and type "
                          << input.getElementType() << " of a row of "
                          << node.describeInput(0) << " from axis " << axis
                          << " on";
}

LogicalResult onnx_import::importLayerNormalization(NodeImporter &node) {
  if (failed(node.checkInputs(2, 3)))
    return failure();
  FailureOr<float> epsilon = node.floatAttribute("epsilon", 1e-5f);
  FailureOr<int64_t> axis = node.intAttribute("axis", -1);
  FailureOr<int64_t> stash =
      node.intAttribute("stash_type", onnx::TensorProto::FLOAT);
  if (failed(epsilon) || failed(axis) || failed(stash))
    return failure();
  axis = node.normalizeAxis(*axis, node.inputType(0).getRank());
  if (failed(axis) || failed(checkRow(node, 1, *axis)) ||
      (node.input(2) && failed(checkRow(node, 2, *axis))))
    return failure();
  SmallVector<Value> operands = {node.input(0), node.input(1)};
  if (node.input(2))
    operands.push_back(node.input(2));
  Operation *op = node.createOp(
      nn::LayerNormOp::getOperationName(), operands,
      node.attr("epsilon", node.builder.getF64FloatAttr(*epsilon)));
  if (!op)
    return failure();
  node.setOutput(0, op->getResult(0));
  Type stashed = elementType(int(*stash), node.builder.getContext());
  for (unsigned i : {1u, 2u}) {
    if (!node.hasOutput(i))
      continue;
    if (!isa_and_nonnull<FloatType>(stashed))
      return node.emitError() << "stash_type " << dataTypeName(int(*stash))
                              << " is not supported";
    Value statistic = finishStatistic(node, op->getResult(i), *axis, stashed);
    if (!statistic)
      return failure();
    node.setOutput(i, statistic);
  }
  return success();
}
