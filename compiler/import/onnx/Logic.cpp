#include "compiler/import/onnx/NodeImporter.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using nn::ComparePredicate;

static LogicalResult importComparison(NodeImporter &node,
                                      ComparePredicate predicate) {
  if (failed(node.checkInputs(2, 2)) || failed(node.checkBroadcast(0, 1)))
    return failure();
  Value lhs = node.input(0), rhs = node.input(1);
  if (failed(node.broadcastTogether(lhs, rhs)))
    return failure();
  return node.finish(node.create<nn::CompareOp>(
      {lhs, rhs},
      node.attr("predicate", nn::ComparePredicateAttr::get(
                                 node.builder.getContext(), predicate))));
}

LogicalResult onnx_import::importEqual(NodeImporter &node) {
  return importComparison(node, ComparePredicate::eq);
}
LogicalResult onnx_import::importGreater(NodeImporter &node) {
  return importComparison(node, ComparePredicate::gt);
}
LogicalResult onnx_import::importGreaterOrEqual(NodeImporter &node) {
  return importComparison(node, ComparePredicate::ge);
}
LogicalResult onnx_import::importLess(NodeImporter &node) {
  return importComparison(node, ComparePredicate::lt);
}
LogicalResult onnx_import::importLessOrEqual(NodeImporter &node) {
  return importComparison(node, ComparePredicate::le);
}

template <typename OpTy>
static LogicalResult importLogical(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)) || failed(node.checkBroadcast(0, 1)))
    return failure();
  return node.finish(node.createBroadcast<OpTy>(node.input(0), node.input(1)));
}

LogicalResult onnx_import::importAnd(NodeImporter &node) {
  return importLogical<nn::AndOp>(node);
}
LogicalResult onnx_import::importOr(NodeImporter &node) {
  return importLogical<nn::OrOp>(node);
}
/// Exclusive or of truth values is that they differ.
LogicalResult onnx_import::importXor(NodeImporter &node) {
  return importComparison(node, ComparePredicate::ne);
}

/// NaN alone differs from itself.
LogicalResult onnx_import::importIsNaN(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  return node.finish(node.create<nn::CompareOp>(
      {node.input(0), node.input(0)},
      node.attr("predicate",
                nn::ComparePredicateAttr::get(node.builder.getContext(),
                                              ComparePredicate::ne))));
}

LogicalResult onnx_import::importNot(NodeImporter &node) {
  if (failed(node.checkInputs(1, 1)))
    return failure();
  return node.finish(node.create<nn::NotOp>(node.input(0)));
}

LogicalResult onnx_import::importWhere(NodeImporter &node) {
  if (failed(node.checkInputs(3, 3)) || failed(node.checkBroadcast(1, 2)))
    return failure();
  // All three are broadcast to one shape.
  Operation *op =
      node.createOp(nn::BroadcastTogetherOp::getOperationName(),
                    {node.input(0), node.input(1), node.input(2)}, {});
  if (!op)
    return failure();
  return node.finish(node.create<nn::SelectOp>(op->getResults()));
}
