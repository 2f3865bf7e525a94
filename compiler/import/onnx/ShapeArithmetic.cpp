#include "compiler/import/onnx/NodeImporter.h"
#include "compiler/import/onnx/TensorData.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

static LogicalResult finishOp(NodeImporter &node, Operation *op) {
  return node.finish(op ? op->getResult(0) : Value());
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Sizes from dimension `start` to before `end`. As in numpy slices, negative
/// ones count from the end, and both are cut to the rank.
LogicalResult onnx_import::importShape(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  int64_t rank = node.inputType(0).getRank();
  FailureOr<int64_t> start = node.intAttribute("start", 0);
  FailureOr<int64_t> end = node.intAttribute("end", rank);
  if (failed(start) || failed(end))
    return failure();
  auto clamp = [&](int64_t position) {
    return std::clamp<int64_t>(position < 0 ? position + rank : position, 0,
                               rank);
  };
  int64_t first = clamp(*start);
  return node.finish(node.create<nn::ShapeOfOp>(
      node.input(0), {node.attr("start", first),
                      node.attr("end", std::max(first, clamp(*end)))}));
}

LogicalResult onnx_import::importSize(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  Value sizes = node.create<nn::ShapeOfOp>(
      node.input(0), {node.attr("start", int64_t(0)),
                      node.attr("end", node.inputType(0).getRank())});
  return node.finish(node.create<nn::ReduceProdOp>(
      sizes, node.attr("dims", ArrayRef<int64_t>{0})));
}

/// A vector of sizes whose length, the rank of the result, is known.
static Value readSizes(NodeImporter &node, unsigned i) {
  Value sizes = node.positions(i, 1);
  if (sizes && !cast<RankedTensorType>(sizes.getType()).hasStaticShape()) {
    node.emitError() << "the rank of its result is not known, since the length "
                        "of '"
                     << node.inputName(i) << "' is symbolic";
    return {};
  }
  return sizes;
}

LogicalResult onnx_import::importExpand(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)))
    return failure();
  Value sizes = readSizes(node, 1);
  if (!sizes)
    return failure();
  return finishOp(node, node.build<nn::DynamicExpandOp>(node.input(0), sizes));
}

LogicalResult onnx_import::importTile(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)))
    return failure();
  Value repeats = readSizes(node, 1);
  if (!repeats)
    return failure();
  return finishOp(node, node.build<nn::TileOp>(node.input(0), repeats));
}

//===----------------------------------------------------------------------===//
// Values made from sizes
//===----------------------------------------------------------------------===//

/// The one value that a ConstantOfShape node repeats.
static FailureOr<TypedAttr> fillValue(NodeImporter &node) {
  FailureOr<DenseElementsAttr> fill =
      fillShape(node.node(), {}, node.builder.getContext(),
                [&] { return node.emitError(); });
  if (failed(fill))
    return failure();
  return cast<TypedAttr>(*fill->getValues<Attribute>().begin());
}

LogicalResult onnx_import::importConstantOfShape(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  FailureOr<TypedAttr> value = fillValue(node);
  Value sizes = readSizes(node, 0);
  if (failed(value) || !sizes)
    return failure();
  return finishOp(node, node.build<nn::ConstantOfShapeOp>(sizes, *value));
}

LogicalResult onnx_import::importRange(NodeImporter &node) {
  if (failed(node.checkInputs(3, 3)))
    return failure();
  SmallVector<Value> operands;
  for (unsigned i : {0u, 1u, 2u}) {
    Value value = node.input(i);
    // Real files give a vector of one number for a scalar.
    if (node.inputType(i).getRank() == 1 &&
        node.inputType(i).getDimSize(0) == 1)
      value = node.create<nn::SqueezeOp>(
          value, node.attr("dims", ArrayRef<int64_t>{0}));
    else if (node.inputType(i).getRank() != 0)
      return node.emitError() << "needs numbers, but input "
                              << node.describeInput(i) << " is none";
    if (node.inputType(i).getElementType() !=
        node.inputType(0).getElementType())
      return node.emitError()
             << "inputs '" << node.inputName(0) << "' and '"
             << node.inputName(i) << "' have different element types";
    operands.push_back(value);
  }
  if (node.inputType(0).getElementType().isInteger(1))
    return node.emitError() << "counts numbers, not truth values";
  return finishOp(
      node, node.build<nn::RangeOp>(operands[0], operands[1], operands[2]));
}

LogicalResult onnx_import::importNonZero(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  return finishOp(node, node.build<nn::NonZeroOp>(node.input(0)));
}

LogicalResult onnx_import::importTrilu(NodeImporter &node) {
  if (failed(node.checkInputs(1, 2)))
    return failure();
  FailureOr<int64_t> upper = node.intAttribute("upper", 1);
  if (failed(upper))
    return failure();
  SmallVector<Value> operands = {node.input(0)};
  if (node.input(1)) {
    operands.push_back(node.positions(1, 0));
    if (!operands.back())
      return failure();
  }
  SmallVector<NamedAttribute> attributes;
  if (*upper)
    attributes.push_back(node.attr("upper", node.builder.getUnitAttr()));
  return node.finish(
      node.create<nn::TriluOp>(operands, attributes, node.input(0).getType()));
}
