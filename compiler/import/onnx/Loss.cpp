#include "compiler/import/onnx/NodeImporter.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

/// Builds the loss of `scores` and sets the node's outputs.
static LogicalResult importLoss(NodeImporter &node, Value scores,
                                bool hasLogProbabilities) {
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
  SmallVector<Value> operands = {scores, node.input(1)};
  if (node.input(2))
    operands.push_back(node.input(2));
  auto type = cast<RankedTensorType>(scores.getType());
  SmallVector<Type> types = {
      *reduction == nn::LossReduction::none
          ? node.inputType(1).clone(type.getElementType())
          : RankedTensorType::get({}, type.getElementType())};
  if (hasLogProbabilities)
    types.push_back(type);
  Operation *op =
      node.createOp(nn::SoftmaxCrossEntropyLossOp::getOperationName(), operands,
                    attributes, types);
  if (!op)
    return failure();
  for (OpResult result : op->getResults())
    node.setOutput(result.getResultNumber(), result);
  return success();
}

LogicalResult onnx_import::importSoftmaxCrossEntropyLoss(NodeImporter &node) {
  if (failed(node.checkInputs(2, 3)))
    return failure();
  return importLoss(node, node.input(0), node.hasOutput(1));
}

//===----------------------------------------------------------------------===//
// Negative log-likelihood
//===----------------------------------------------------------------------===//

static Value select(NodeImporter &node, Value condition, Value yes, Value no) {
  if (!condition || !yes || !no)
    return {};
  Operation *op = node.createOp(nn::BroadcastTogetherOp::getOperationName(),
                                {condition, yes, no}, {});
  return op ? node.create<nn::SelectOp>(op->getResults()) : Value();
}

static Value compare(NodeImporter &node, nn::ComparePredicate predicate,
                     Value lhs, Value rhs) {
  if (failed(node.broadcastTogether(lhs, rhs)))
    return {};
  return node.create<nn::CompareOp>(
      {lhs, rhs},
      node.attr("predicate", nn::ComparePredicateAttr::get(
                                 node.builder.getContext(), predicate)));
}

/// What `values`, with classes in dimension 1, holds at each label; 0 where the
/// label is no class.
static Value pickLabels(NodeImporter &node, Value values, Value labels) {
  auto type = cast<RankedTensorType>(values.getType());
  auto labelType = cast<RankedTensorType>(labels.getType());
  if (type.isDynamicDim(1)) {
    node.emitError() << "the number of classes of " << node.describeInput(0)
                     << " must not be symbolic";
    return {};
  }
  Value classes = node.create<nn::IotaOp>(
      {}, node.attr("dim", int64_t(0)),
      Type(RankedTensorType::get({type.getDimSize(1)},
                                 labelType.getElementType())));
  SmallVector<int64_t> behind =
      llvm::to_vector(llvm::seq<int64_t>(1, type.getRank() - 1));
  if (!behind.empty())
    classes = node.create<nn::UnsqueezeOp>(classes, node.attr("dims", behind));
  labels = node.create<nn::UnsqueezeOp>(
      labels, node.attr("dims", ArrayRef<int64_t>{1}));
  Value picked =
      select(node, compare(node, nn::ComparePredicate::eq, labels, classes),
             values, node.constantScalar(type.getElementType(), 0));
  return node.create<nn::ReduceSumOp>(picked,
                                      node.attr("dims", ArrayRef<int64_t>{1}));
}

static Value sumAll(NodeImporter &node, Value value) {
  if (!value)
    return {};
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return node.create<nn::ReduceSumOp>(
      value, node.attr("dims", llvm::to_vector(llvm::seq<int64_t>(rank))));
}

/// The loss of any scores, by its definition: the negated score of the label
/// times the label's weight; the mean is by the sum of weights.
static LogicalResult importLikelihoodLoss(NodeImporter &node) {
  FailureOr<std::string> reduction = node.stringAttribute("reduction", "mean");
  auto ignored = node.attribute("ignore_index", onnx::AttributeProto::INT);
  if (failed(reduction) || failed(ignored))
    return failure();
  Type element = node.inputType(0).getElementType();
  Type labelElement = node.inputType(1).getElementType();
  Value labels = node.input(1), zero = node.constantScalar(element, 0);
  Value loss = node.create<nn::NegOp>(pickLabels(node, node.input(0), labels));
  Value weights;
  if (node.input(2)) {
    // Picked as scores are, and not gathered: an ignored label is no index.
    SmallVector<int64_t> dims = {0};
    llvm::append_range(dims,
                       llvm::seq<int64_t>(2, node.inputType(0).getRank()));
    weights = pickLabels(
        node,
        node.create<nn::UnsqueezeOp>(node.input(2), node.attr("dims", dims)),
        labels);
  } else {
    weights =
        select(node, compare(node, nn::ComparePredicate::eq, labels, labels),
               node.constantScalar(element, 1), zero);
  }
  if (*ignored) {
    // Chosen, not multiplied: the weight of what is ignored is no number.
    Value counts =
        compare(node, nn::ComparePredicate::ne, labels,
                node.constantScalar(labelElement, double((*ignored)->i())));
    weights = select(node, counts, weights, zero);
  }
  loss = node.createBroadcast<nn::MulOp>(loss, weights);
  if (*reduction == "none")
    return node.finish(loss);
  loss = sumAll(node, loss);
  if (*reduction == "sum")
    return node.finish(loss);
  if (*reduction != "mean")
    return node.emitError()
           << "reduction '" << *reduction << "' is none of none, sum and mean";
  Value total = sumAll(node, weights);
  // If all labels are ignored the loss is 0, and no 0/0.
  Value isEmpty = compare(node, nn::ComparePredicate::eq, total, zero);
  Value divisor = select(node, isEmpty, node.constantScalar(element, 1), total);
  return node.finish(node.createBroadcast<nn::DivOp>(loss, divisor));
}

/// The loss of log-probabilities that a softmax made is the cross-entropy of
/// its scores.
LogicalResult onnx_import::importNegativeLogLikelihoodLoss(NodeImporter &node) {
  if (failed(node.checkInputs(2, 3)))
    return failure();
  RankedTensorType scores = node.inputType(0), labels = node.inputType(1);
  bool hasLabels = labels.getElementType().isInteger(64) ||
                   labels.getElementType().isInteger(32);
  bool hasRowWeights = !node.input(2) || node.inputType(2).getRank() == 1;
  if (scores.getRank() < 2 || labels.getRank() != scores.getRank() - 1 ||
      !hasLabels || !hasRowWeights || !isa<FloatType>(scores.getElementType()))
    return node.emitError()
           << "needs scores with classes in dimension 1, a label for each "
              "place without it and a vector of weights, but has "
           << node.describeInput(0) << " of " << scores.getElementType()
           << " and " << node.describeInput(1) << " of "
           << labels.getElementType();
  if (auto softmax = node.input(0).getDefiningOp<nn::LogSoftmaxOp>();
      softmax && softmax.getDim() == 1)
    return importLoss(node, softmax.getInput(), /*hasLogProbabilities=*/false);
  return importLikelihoodLoss(node);
}
