#include "compiler/import/onnx/NodeImporter.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

/// Builds the reduction along `axes`; none means all of them, or, if the node
/// says so, that nothing is reduced.
template <typename OpTy>
static LogicalResult importReduction(NodeImporter &node,
                                     ArrayRef<int64_t> axes) {
  int64_t rank = node.inputType(0).getRank();
  FailureOr<int64_t> keepDims = node.intAttribute("keepdims", 1);
  FailureOr<int64_t> noop = node.intAttribute("noop_with_empty_axes", 0);
  FailureOr<SmallVector<int64_t>> dims = node.normalizeAxes(axes, rank);
  if (failed(keepDims) || failed(noop) || failed(dims))
    return failure();
  if (dims->empty() && !*noop)
    dims->assign(llvm::to_vector(llvm::seq<int64_t>(rank)));
  if (dims->empty())
    return node.finish(node.input(0));
  SmallVector<NamedAttribute> attributes = {node.attr("dims", *dims)};
  if (*keepDims)
    attributes.push_back(node.attr("keep_dims", node.builder.getUnitAttr()));
  return node.finish(node.create<OpTy>(node.input(0), attributes));
}

template <typename OpTy>
static LogicalResult importOfAttribute(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  auto axes = node.intsAttribute("axes");
  if (failed(axes))
    return failure();
  return importReduction<OpTy>(node, axes->value_or(SmallVector<int64_t>()));
}

template <typename OpTy>
static LogicalResult importOfInput(NodeImporter &node) {
  if (failed(node.checkInputs(1, 2)))
    return failure();
  if (!node.input(1))
    return importReduction<OpTy>(node, {});
  FailureOr<SmallVector<int64_t>> axes = node.constantInts(1, "axes");
  if (failed(axes))
    return failure();
  return importReduction<OpTy>(node, *axes);
}

LogicalResult onnx_import::importReduceMaxOfAttribute(NodeImporter &node) {
  return importOfAttribute<nn::ReduceMaxOp>(node);
}
LogicalResult onnx_import::importReduceMaxOfInput(NodeImporter &node) {
  return importOfInput<nn::ReduceMaxOp>(node);
}
LogicalResult onnx_import::importReduceMeanOfAttribute(NodeImporter &node) {
  return importOfAttribute<nn::ReduceMeanOp>(node);
}
LogicalResult onnx_import::importReduceMeanOfInput(NodeImporter &node) {
  return importOfInput<nn::ReduceMeanOp>(node);
}
LogicalResult onnx_import::importReduceProdOfAttribute(NodeImporter &node) {
  return importOfAttribute<nn::ReduceProdOp>(node);
}
LogicalResult onnx_import::importReduceProdOfInput(NodeImporter &node) {
  return importOfInput<nn::ReduceProdOp>(node);
}
LogicalResult onnx_import::importReduceSumOfAttribute(NodeImporter &node) {
  return importOfAttribute<nn::ReduceSumOp>(node);
}
LogicalResult onnx_import::importReduceSumOfInput(NodeImporter &node) {
  return importOfInput<nn::ReduceSumOp>(node);
}
