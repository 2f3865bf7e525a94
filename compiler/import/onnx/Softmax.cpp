#include "compiler/import/onnx/NodeImporter.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

static FailureOr<int64_t> readAxis(NodeImporter &node, int64_t otherwise) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  FailureOr<int64_t> axis = node.intAttribute("axis", otherwise);
  if (failed(axis))
    return failure();
  return node.normalizeAxis(*axis, node.inputType(0).getRank());
}

template <typename OpTy>
static LogicalResult importAlongAxis(NodeImporter &node) {
  FailureOr<int64_t> axis = readAxis(node, -1);
  if (failed(axis))
    return failure();
  return node.finish(node.create<OpTy>(node.input(0), node.attr("dim", *axis)));
}

/// Before opset 13 the tensor is flattened to a matrix at `axis`, and all of a
/// row is one softmax.
template <typename OpTy>
static LogicalResult importFlattened(NodeImporter &node) {
  FailureOr<int64_t> axis = readAxis(node, 1);
  if (failed(axis))
    return failure();
  // From the last axis on is along the last axis.
  if (*axis == node.inputType(0).getRank() - 1)
    return node.finish(
        node.create<OpTy>(node.input(0), node.attr("dim", *axis)));
  Value matrix =
      node.create<nn::FlattenOp>(node.input(0), node.attr("axis", *axis));
  Value rows = node.create<OpTy>(matrix, node.attr("dim", 1));
  return node.finish(node.create<nn::ReshapeLikeOp>({rows, node.input(0)}));
}

LogicalResult onnx_import::importSoftmax(NodeImporter &node) {
  return importAlongAxis<nn::SoftmaxOp>(node);
}
LogicalResult onnx_import::importLogSoftmax(NodeImporter &node) {
  return importAlongAxis<nn::LogSoftmaxOp>(node);
}
LogicalResult onnx_import::importFlattenedSoftmax(NodeImporter &node) {
  return importFlattened<nn::SoftmaxOp>(node);
}
LogicalResult onnx_import::importFlattenedLogSoftmax(NodeImporter &node) {
  return importFlattened<nn::LogSoftmaxOp>(node);
}
