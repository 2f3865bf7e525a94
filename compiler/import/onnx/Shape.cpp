#include "compiler/import/onnx/NodeImporter.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

LogicalResult onnx_import::importFlatten(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  int64_t rank = node.inputType(0).getRank();
  FailureOr<int64_t> axis = node.intAttribute("axis", 1);
  if (succeeded(axis))
    axis = node.normalizeAxis(*axis, rank, rank + 1);
  if (failed(axis))
    return failure();
  return node.finish(
      node.create<nn::FlattenOp>(node.input(0), node.attr("axis", *axis)));
}

LogicalResult onnx_import::importReshape(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)))
    return failure();
  FailureOr<int64_t> allowZero = node.intAttribute("allowzero", 0);
  if (failed(allowZero))
    return failure();
  RankedTensorType shape = node.inputType(1);
  if (shape.getRank() != 1 || !shape.getElementType().isInteger(64))
    return node.emitError() << "shape input '" << node.inputName(1)
                            << "' must be a vector of int64";
  if (!shape.hasStaticShape())
    return node.emitError() << "the rank of its result is not known, since the "
                               "length of '"
                            << node.inputName(1) << "' is symbolic";
  SmallVector<NamedAttribute> attributes;
  if (*allowZero)
    attributes.push_back(node.attr("allow_zero", node.builder.getUnitAttr()));
  // The rank is known; the sizes follow from the operands where these are.
  SmallVector<int64_t> dims(shape.getDimSize(0), ShapedType::kDynamic);
  Operation *op = node.createOp(
      nn::DynamicReshapeOp::getOperationName(), {node.input(0), node.input(1)},
      attributes,
      Type(RankedTensorType::get(dims, node.inputType(0).getElementType())));
  SmallVector<Type> types;
  if (!op ||
      failed(cast<ShapeInferenceOpInterface>(op).reinferResultTypes(types)))
    return failure();
  op->getResult(0).setType(types.front());
  return node.finish(op->getResult(0));
}

LogicalResult onnx_import::importTranspose(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  int64_t rank = node.inputType(0).getRank();
  auto given = node.intsAttribute("perm");
  if (failed(given))
    return failure();
  SmallVector<int64_t> perm =
      *given ? **given : llvm::to_vector(llvm::reverse(llvm::seq(rank)));
  SmallVector<int64_t> sorted(perm);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq(rank)))
    return node.emitError() << "perm is not a permutation of the " << rank
                            << " dimensions of " << node.describeInput(0);
  return node.finish(
      node.create<nn::TransposeOp>(node.input(0), node.attr("perm", perm)));
}

//===----------------------------------------------------------------------===//
// Squeeze and Unsqueeze: axes are an attribute until opset 12, then an input
//===----------------------------------------------------------------------===//

/// Without axes, every dimension of size 1 goes.
static FailureOr<SmallVector<int64_t>> findUnitDims(NodeImporter &node) {
  if (!node.inputType(0).hasStaticShape())
    return node.emitError() << "squeezes " << node.describeInput(0)
                            << " without axes, but its shape is symbolic";
  SmallVector<int64_t> dims;
  for (auto [i, size] : llvm::enumerate(node.inputType(0).getShape()))
    if (size == 1)
      dims.push_back(i);
  return dims;
}

static LogicalResult
importSqueeze(NodeImporter &node,
              const std::optional<SmallVector<int64_t>> &axes) {
  FailureOr<SmallVector<int64_t>> dims =
      axes ? node.normalizeAxes(*axes, node.inputType(0).getRank())
           : findUnitDims(node);
  if (failed(dims))
    return failure();
  return node.finish(
      node.create<nn::SqueezeOp>(node.input(0), node.attr("dims", *dims)));
}

static LogicalResult importUnsqueeze(NodeImporter &node,
                                     ArrayRef<int64_t> axes) {
  // Axes count in the result.
  FailureOr<SmallVector<int64_t>> dims = node.normalizeAxes(
      axes, node.inputType(0).getRank() + int64_t(axes.size()));
  if (failed(dims))
    return failure();
  return node.finish(
      node.create<nn::UnsqueezeOp>(node.input(0), node.attr("dims", *dims)));
}

LogicalResult onnx_import::importSqueezeOfAttribute(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  auto axes = node.intsAttribute("axes");
  return failed(axes) ? failure() : importSqueeze(node, *axes);
}

LogicalResult onnx_import::importSqueezeOfInput(NodeImporter &node) {
  if (failed(node.checkInputs(1, 2)))
    return failure();
  if (!node.input(1))
    return importSqueeze(node, std::nullopt);
  FailureOr<SmallVector<int64_t>> axes = node.constantInts(1, "axes");
  return failed(axes) ? failure() : importSqueeze(node, *axes);
}

LogicalResult onnx_import::importUnsqueezeOfAttribute(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  auto axes = node.intsAttribute("axes");
  if (failed(axes))
    return failure();
  if (!*axes)
    return node.emitError() << "has no axes";
  return importUnsqueeze(node, **axes);
}

LogicalResult onnx_import::importUnsqueezeOfInput(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = node.constantInts(1, "axes");
  return failed(axes) ? failure() : importUnsqueeze(node, *axes);
}
