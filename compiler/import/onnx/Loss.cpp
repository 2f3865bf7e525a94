#include "compiler/import/onnx/NodeImporter.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

LogicalResult onnx_import::importSoftmaxCrossEntropyLoss(NodeImporter &node) {
  if (failed(node.checkInputs(2, 3)))
    return failure();
  FailureOr<std::string> name = node.stringAttribute("reduction", "mean");
  auto ignored = node.attribute("ignore_index", onnx::AttributeProto::INT);
  if (failed(name) || failed(ignored))
    return failure();
  std::optional<nn::LossReduction> reduction =
      nn::symbolizeLossReduction(*name);
  if (!reduction)
    return node.emitError()
           << "reduction '" << *name << "' is none of none, sum and mean";

  MLIRContext *context = node.builder.getContext();
  SmallVector<NamedAttribute> attributes = {
      node.attr("reduction", nn::LossReductionAttr::get(context, *reduction))};
  if (*ignored)
    attributes.push_back(node.attr("ignore_index", (*ignored)->i()));
  SmallVector<Value> operands = {node.input(0), node.input(1)};
  if (node.input(2))
    operands.push_back(node.input(2));
  RankedTensorType scores = node.inputType(0);
  SmallVector<Type> types = {
      *reduction == nn::LossReduction::none
          ? node.inputType(1).clone(scores.getElementType())
          : RankedTensorType::get({}, scores.getElementType())};
  if (node.hasOutput(1))
    types.push_back(scores);
  Operation *op =
      node.createOp(nn::SoftmaxCrossEntropyLossOp::getOperationName(), operands,
                    attributes, types);
  if (!op)
    return failure();
  for (OpResult result : op->getResults())
    node.setOutput(result.getResultNumber(), result);
  return success();
}
