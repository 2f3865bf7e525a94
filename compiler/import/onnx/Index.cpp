#include "compiler/import/onnx/NodeImporter.h"
#include "compiler/import/onnx/TensorData.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

static LogicalResult finishOp(NodeImporter &node, Operation *op) {
  return node.finish(op ? op->getResult(0) : Value());
}

/// Checks that input `i` holds indices.
static LogicalResult checkIndices(NodeImporter &node, unsigned i) {
  Type element = node.inputType(i).getElementType();
  if (element.isInteger(64) || element.isInteger(32))
    return success();
  return node.emitError() << "input '" << node.inputName(i)
                          << "' must hold indices of type int64 or int32, but "
                             "has "
                          << element;
}

static FailureOr<int64_t> readAxis(NodeImporter &node, int64_t otherwise) {
  FailureOr<int64_t> axis = node.intAttribute("axis", otherwise);
  if (failed(axis))
    return failure();
  return node.normalizeAxis(*axis, node.inputType(0).getRank());
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

LogicalResult onnx_import::importGather(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)) || failed(checkIndices(node, 1)))
    return failure();
  FailureOr<int64_t> axis = readAxis(node, 0);
  if (failed(axis))
    return failure();
  return node.finish(node.create<nn::GatherOp>({node.input(0), node.input(1)},
                                               node.attr("dim", *axis)));
}

LogicalResult onnx_import::importGatherND(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)) || failed(checkIndices(node, 1)))
    return failure();
  FailureOr<int64_t> batchDims = node.intAttribute("batch_dims", 0);
  if (failed(batchDims))
    return failure();
  return node.finish(node.create<nn::GatherNdOp>(
      {node.input(0), node.input(1)}, node.attr("batch_dims", *batchDims)));
}

LogicalResult onnx_import::importCumSum(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)))
    return failure();
  FailureOr<double> given = node.constantNumber(1, "axis", 0);
  FailureOr<int64_t> exclusive = node.intAttribute("exclusive", 0);
  FailureOr<int64_t> reverse = node.intAttribute("reverse", 0);
  if (failed(given) || failed(exclusive) || failed(reverse))
    return failure();
  FailureOr<int64_t> axis =
      node.normalizeAxis(int64_t(*given), node.inputType(0).getRank());
  if (failed(axis))
    return failure();
  SmallVector<NamedAttribute> attributes = {node.attr("dim", *axis)};
  if (*exclusive)
    attributes.push_back(node.attr("exclusive", node.builder.getUnitAttr()));
  if (*reverse)
    attributes.push_back(node.attr("reverse", node.builder.getUnitAttr()));
  return node.finish(node.create<nn::CumSumOp>(node.input(0), attributes,
                                               node.input(0).getType()));
}

//===----------------------------------------------------------------------===//
// Slice, Split and Concat
//===----------------------------------------------------------------------===//

/// Positions are attributes until opset 9.
LogicalResult onnx_import::importSliceOfAttribute(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  auto starts = node.intsAttribute("starts");
  auto ends = node.intsAttribute("ends");
  auto axes = node.intsAttribute("axes");
  if (failed(starts) || failed(ends) || failed(axes))
    return failure();
  if (!*starts || !*ends)
    return node.emitError() << "has no starts or no ends";
  Value axesValue = *axes ? node.constantVector(**axes) : Value();
  return finishOp(node, node.build<nn::DynamicSliceOp>(
                            node.input(0), node.constantVector(**starts),
                            node.constantVector(**ends), axesValue));
}

LogicalResult onnx_import::importSliceOfInput(NodeImporter &node) {
  if (failed(node.checkInputs(3, 5)))
    return failure();
  SmallVector<Value> positions(5);
  for (unsigned i = 1; i != 5; ++i)
    if (node.input(i) && !(positions[i] = node.positions(i, 1)))
      return failure();
  return finishOp(node, node.build<nn::DynamicSliceOp>(
                            node.input(0), positions[1], positions[2],
                            positions[3], positions[4]));
}

/// Splits into parts of the given sizes, or, if these are null, equal ones.
static LogicalResult importSplit(NodeImporter &node, Value sizes) {
  FailureOr<int64_t> axis = readAxis(node, 0);
  if (failed(axis))
    return failure();
  unsigned parts = node.node().output_size();
  FailureOr<int64_t> count = node.intAttribute("num_outputs", parts);
  if (failed(count))
    return failure();
  if (*count != parts)
    return node.emitError()
           << "has " << parts << " outputs, but num_outputs is " << *count;
  // Before opset 18 parts of different sizes had to be asked for.
  int64_t size = node.inputType(0).getDimSize(*axis);
  if (!sizes && node.opset() < 18 && parts && !ShapedType::isDynamic(size) &&
      size % parts != 0)
    return node.emitError()
           << "cannot split dimension " << *axis << " of "
           << node.describeInput(0) << " into " << parts << " equal parts";
  Operation *op = node.build<nn::SplitOp>(node.input(0), sizes, *axis, parts);
  if (!op)
    return failure();
  for (OpResult result : op->getResults())
    node.setOutput(result.getResultNumber(), result);
  return success();
}

/// Sizes are an attribute until opset 12.
LogicalResult onnx_import::importSplitOfAttribute(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  auto sizes = node.intsAttribute("split");
  if (failed(sizes))
    return failure();
  return importSplit(node, *sizes ? node.constantVector(**sizes) : Value());
}

LogicalResult onnx_import::importSplitOfInput(NodeImporter &node) {
  if (failed(node.checkInputs(1, 2)))
    return failure();
  Value sizes;
  if (node.input(1) && !(sizes = node.positions(1, 1)))
    return failure();
  return importSplit(node, sizes);
}

LogicalResult onnx_import::importConcat(NodeImporter &node) {
  if (failed(node.checkInputs(1, ~0u)))
    return failure();
  SmallVector<Value> operands;
  for (unsigned i = 0; i != node.inputCount(); ++i) {
    if (!node.input(i))
      return node.emitError() << "input " << i << " is required";
    RankedTensorType first = node.inputType(0), type = node.inputType(i);
    if (type.getElementType() != first.getElementType() ||
        type.getRank() != first.getRank())
      return node.emitError()
             << "cannot join " << node.describeInput(0) << " of "
             << first.getElementType() << " and " << node.describeInput(i)
             << " of " << type.getElementType();
    operands.push_back(node.input(i));
  }
  FailureOr<int64_t> axis = readAxis(node, 1);
  if (failed(axis))
    return failure();
  return node.finish(
      node.create<nn::ConcatOp>(operands, node.attr("dim", *axis)));
}
