#include "compiler/import/onnx/NodeImporter.h"
#include "dialects/train/TrainOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/xxhash.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

/// True if the graph itself asks for dropout: from opset 12 on by an input,
/// before only by being exported for training, which no file says.
static FailureOr<bool> asksForDropout(NodeImporter &node) {
  FailureOr<double> mode = node.constantNumber(2, "training_mode", 0);
  return failed(mode) ? FailureOr<bool>(failure()) : *mode != 0;
}

/// The share of elements to drop: an attribute until opset 11, then an input.
static FailureOr<double> readRatio(NodeImporter &node) {
  FailureOr<float> attribute = node.floatAttribute("ratio", 0.5f);
  if (failed(attribute))
    return failure();
  FailureOr<double> ratio = node.constantNumber(1, "ratio", *attribute);
  if (succeeded(ratio) && !(*ratio >= 0 && *ratio <= 1))
    return node.emitError() << "ratio " << *ratio << " is not between 0 and 1";
  return ratio;
}

/// Declares the state `name`, or a setting if `help` is not empty, and reads it
/// at the start of the function, for all dropouts of the model.
static Value readState(NodeImporter &node, StringRef name,
                       train::StateKind kind, StringRef help) {
  Builder &attrs = node.builder;
  Block *block = node.builder.getBlock();
  Operation *function = block->getParentOp();
  Location loc = function->getLoc();
  auto type = RankedTensorType::get({}, attrs.getI64Type());
  OpBuilder builder(function);
  bool isSetting = !help.empty();
  train::StateOp::create(builder, loc, attrs.getStringAttr(name),
                         /*sym_visibility=*/StringAttr(), TypeAttr::get(type),
                         train::StateKindAttr::get(attrs.getContext(), kind),
                         /*parameter=*/FlatSymbolRefAttr(),
                         isSetting ? attrs.getF64FloatAttr(0) : FloatAttr(),
                         isSetting ? attrs.getStringAttr(help) : StringAttr());
  builder.setInsertionPointToStart(block);
  return train::ReadOp::create(builder, loc, type, name);
}

static Value applyDropout(NodeImporter &node, Value input, double ratio) {
  DropoutStates &states = node.dropout;
  if (!states.seed) {
    states.microBatch =
        readState(node, "dsc.micro_batch", train::StateKind::Counter, "");
    states.seed = readState(node, "dsc.seed", train::StateKind::Setting,
                            "seed of dropout");
  }
  // Stable under everything that a later export of the model may change, but
  // for the names of its values.
  auto site = int64_t(llvm::xxh3_64bits(StringRef(node.node().output(0))));
  return node.create<nn::DropoutOp>(
      {input, states.seed, states.microBatch},
      {node.attr("probability", node.builder.getF64FloatAttr(ratio)),
       node.attr("site", site)},
      input.getType());
}

/// The places that dropout keeps: where it keeps ones. The draw depends on the
/// place alone, so that it is the draw of the data.
static Value buildMask(NodeImporter &node, double ratio, bool isActive) {
  RankedTensorType type = node.inputType(0);
  Builder &builder = node.builder;
  Value sizes = node.create<nn::ShapeOfOp>(
      node.input(0),
      {node.attr("start", int64_t(0)), node.attr("end", type.getRank())});
  if (!sizes)
    return {};
  auto fill = [&](TypedAttr value) {
    Operation *op = node.build<nn::ConstantOfShapeOp>(sizes, value);
    return op ? op->getResult(0) : Value();
  };
  if (!isActive)
    return fill(builder.getBoolAttr(true));
  Value ones = fill(builder.getFloatAttr(type.getElementType(), 1));
  Value zeros = fill(builder.getFloatAttr(type.getElementType(), 0));
  if (!ones || !zeros)
    return {};
  Value kept = applyDropout(node, ones, ratio);
  return node.create<nn::CompareOp>(
      {kept, zeros}, node.attr("predicate", nn::ComparePredicateAttr::get(
                                                builder.getContext(),
                                                nn::ComparePredicate::gt)));
}

LogicalResult onnx_import::importDropout(NodeImporter &node) {
  if (failed(node.checkInputs(1, 3)))
    return failure();
  FailureOr<bool> asked = asksForDropout(node);
  if (failed(asked))
    return failure();
  bool keep = node.trainingMode() == "keep";
  bool isActive = node.trainingMode() == "train" || (keep && *asked);
  if (keep && !*asked)
    emitRemark(node.loc, "exported for inference: an identity, since "
                         "--training-mode=keep does what the graph says; "
                         "--training-mode=train drops");
  FailureOr<double> ratio = 0.0;
  if (isActive)
    ratio = readRatio(node);
  if (failed(ratio))
    return failure();
  isActive &= *ratio != 0;
  Value result =
      isActive ? applyDropout(node, node.input(0), *ratio) : node.input(0);
  if (node.hasOutput(1)) {
    Value mask = buildMask(node, *ratio, isActive);
    // Until opset 9 the mask has the type of the data.
    if (mask && node.opset() < 10)
      mask = node.create<nn::CastOp>(
          mask, {},
          Type(cast<RankedTensorType>(mask.getType())
                   .clone(node.inputType(0).getElementType())));
    if (!mask)
      return failure();
    node.setOutput(1, mask);
  }
  return node.finish(result);
}
