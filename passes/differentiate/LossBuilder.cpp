#include "passes/differentiate/LossBuilder.h"

#include "mlir/IR/Matchers.h"
#include "passes/differentiate/GradientPaths.h"
#include "passes/differentiate/Names.h"

using namespace mlir;
using namespace dsc;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static BlockArgument addInput(func::FuncOp forward, StringRef name, Type type,
                              StringRef role, Location loc) {
  Builder builder(forward.getContext());
  auto attributes = builder.getDictionaryAttr(
      {builder.getNamedAttr(names::nameAttr, builder.getStringAttr(name)),
       builder.getNamedAttr(names::roleAttr, builder.getStringAttr(role))});
  unsigned index = forward.getNumArguments();
  (void)forward.insertArgument(index, type, attributes, loc);
  return forward.getArgument(index);
}

FailureOr<BlockArgument> LossBuilder::getOrAddInput(StringRef name,
                                                    RankedTensorType type,
                                                    StringRef role) {
  for (auto [index, argument] : llvm::enumerate(forward.getArguments())) {
    auto given = forward.getArgAttrOfType<StringAttr>(index, names::nameAttr);
    if (!given || given.getValue() != name)
      continue;
    if (argument.use_empty())
      forward.setArgAttr(index, names::roleAttr, t.builder.getStringAttr(role));
    return argument;
  }
  for (unsigned index : llvm::seq(forward.getNumResults())) {
    auto given =
        forward.getResultAttrOfType<StringAttr>(index, names::nameAttr);
    if (given && given.getValue() == name)
      return emitError(forward.getLoc(), "in --loss: '")
             << name
             << "' is an output of the model; expects an input or a new name";
  }
  return addInput(forward, name, type, role, t.loc);
}

Value LossBuilder::addSampleWeights(Value output) {
  RankedTensorType type = TensorBuilder::typeOf(output);
  // Labels and targets have a role by now; what is left is data.
  bool isBatched =
      type.getRank() > 0 &&
      llvm::any_of(forward.getArguments(), [&](BlockArgument argument) {
        RankedTensorType input = TensorBuilder::typeOf(argument);
        return !forward.getArgAttr(argument.getArgNumber(), names::roleAttr) &&
               input.getRank() > 0 && input.getDimSize(0) == type.getDimSize(0);
      });
  if (!isBatched) {
    emitRemark(forward.getLoc(), "the loss is computed from ")
        << type
        << ", whose first dimension is not that of an input, so samples have "
           "no weights and a short batch cannot be padded";
    return {};
  }
  return addInput(
      forward, names::sampleWeightInput,
      RankedTensorType::get({type.getDimSize(0)}, type.getElementType()),
      names::sampleWeightRole, t.loc);
}

void LossBuilder::describeLabels(BlockArgument labels, int64_t classes,
                                 int64_t ignoreIndex, int64_t shift) {
  unsigned index = labels.getArgNumber();
  forward.setArgAttr(index, names::classesAttr,
                     t.builder.getI64IntegerAttr(classes));
  forward.setArgAttr(index, names::ignoreIndexAttr,
                     t.builder.getI64IntegerAttr(ignoreIndex));
  if (shift)
    forward.setArgAttr(index, names::shiftAttr,
                       t.builder.getI64IntegerAttr(shift));
}

//===----------------------------------------------------------------------===//
// Losses that dsc writes
//===----------------------------------------------------------------------===//

FailureOr<LossPair> LossBuilder::build(const LossSpec &spec, Value output) {
  RankedTensorType type = TensorBuilder::typeOf(output);
  if (!isa<FloatType>(type.getElementType()))
    return emitError(forward.getLoc(), "in --loss: output '")
           << spec.output << "' has type " << type
           << ", expects floating-point elements";

  if (spec.kind == LossKind::CrossEntropy)
    return buildCrossEntropy(spec, output);
  if (spec.kind == LossKind::Sum)
    return buildElementwise(spec.kind, output, /*target=*/{});

  FailureOr<BlockArgument> target =
      getOrAddInput(spec.target, type, names::targetRole);
  if (failed(target))
    return failure();
  if (target->getType() != type)
    return emitError(forward.getLoc(), "in --loss: target '")
           << spec.target << "' has type " << target->getType() << ", but '"
           << spec.output << "' has " << type;
  return buildElementwise(spec.kind, output, *target);
}

FailureOr<BlockArgument> LossBuilder::getLabels(const LossSpec &spec,
                                                Value output) {
  RankedTensorType type = TensorBuilder::typeOf(output);
  ArrayRef<int64_t> rowShape = type.getShape().drop_back();
  FailureOr<BlockArgument> labels = getOrAddInput(
      spec.target, RankedTensorType::get(rowShape, t.builder.getI64Type()),
      names::labelsRole);
  if (failed(labels))
    return failure();
  RankedTensorType labelsType = TensorBuilder::typeOf(*labels);
  if (labelsType.getShape() != rowShape ||
      !(labelsType.getElementType().isInteger(64) ||
        labelsType.getElementType().isInteger(32)))
    return emitError(forward.getLoc(), "in --loss: labels '")
           << spec.target << "' have type " << labelsType
           << ", expects 32 or 64 bit integers of the shape of '" << spec.output
           << "' without its last dimension, which is " << type;
  describeLabels(*labels, type.getShape().back(), spec.ignoreIndex, spec.shift);
  return labels;
}

Value LossBuilder::shiftLeft(Value value, int64_t shift) {
  RankedTensorType type = TensorBuilder::typeOf(value);
  SmallVector<int64_t> none(type.getRank(), 0), ones(type.getRank(), 1);
  SmallVector<int64_t> offsets = none, high = none, sizes(type.getShape());
  offsets.back() = high.back() = shift;
  sizes.back() -= shift;
  Value rest = nn::SliceOp::create(t.builder, t.loc, type.clone(sizes), value,
                                   offsets, sizes, ones);
  return nn::PadOp::create(t.builder, t.loc, type, rest, none, high, none);
}

FailureOr<LossPair> LossBuilder::buildCrossEntropy(const LossSpec &spec,
                                                   Value output) {
  RankedTensorType type = TensorBuilder::typeOf(output);
  int64_t leastRank = spec.shift ? 3 : 2;
  if (type.getRank() < leastRank)
    return emitError(forward.getLoc(), "in --loss: cross_entropy")
           << (spec.shift ? " with shift=1" : "") << " needs an output of rank "
           << leastRank << " or more, "
           << (spec.shift ? "positions before classes" : "classes last")
           << "; '" << spec.output << "' has type " << type;
  ArrayRef<int64_t> rowShape = type.getShape().drop_back();
  int64_t classes = type.getShape().back();
  int64_t rows = ShapedType::getNumElements(rowShape);
  if (spec.shift && rowShape.back() < 2)
    return emitError(forward.getLoc(),
                     "in --loss: shift=1 compares a position with the label "
                     "of the next one, but '")
           << spec.output << "' has " << rowShape.back()
           << " position(s) a sample; bind a longer sequence with --bind";
  FailureOr<BlockArgument> labels = getLabels(spec, output);
  if (failed(labels))
    return failure();

  RankedTensorType weightType =
      RankedTensorType::get(rowShape, type.getElementType());
  Value rowWeight, rowLabels = *labels;
  if (Value weights = addSampleWeights(output))
    rowWeight =
        rowShape.size() == 1 ? weights : t.broadcast(weights, rowShape, {0});
  else
    rowWeight = t.constant(1.0, weightType);
  int64_t counted = rows;
  if (spec.shift) {
    // All positions keep their row, since labels are few and logits are many:
    // the labels move instead, and the last position, which has none, counts
    // nothing.
    rowLabels = shiftLeft(rowLabels, spec.shift);
    rowWeight = shiftLeft(rowWeight, spec.shift);
    counted = rows / rowShape.back() * (rowShape.back() - spec.shift);
  }
  rowWeight = t.reshape(rowWeight, {rows});
  rowLabels = t.reshape(rowLabels, {rows});

  Value logits = t.reshape(output, {rows, classes});
  auto loss = nn::CrossEntropyOp::create(t.builder, t.loc, logits, rowLabels,
                                         rowWeight, spec.ignoreIndex);
  Value correct = nn::CountCorrectOp::create(
      t.builder, t.loc, logits, rowLabels, rowWeight, spec.ignoreIndex);
  return LossPair{loss.getSum(), loss.getWeight(), correct,
                  static_cast<double>(counted)};
}

Value LossBuilder::clearPadding(Value value, Value isCounted) {
  RankedTensorType type = TensorBuilder::typeOf(value);
  Value mask = t.broadcast(isCounted, type.getShape(), {0});
  return t.select(mask, value, t.constant(0.0, type));
}

LossPair LossBuilder::buildElementwise(LossKind kind, Value output,
                                       Value target) {
  RankedTensorType type = TensorBuilder::typeOf(output);
  Value weights = addSampleWeights(output);
  if (weights) {
    Value isCounted =
        t.compare(nn::ComparePredicate::ne, weights,
                  t.constant(0.0, TensorBuilder::typeOf(weights)));
    output = clearPadding(output, isCounted);
    if (target)
      target = clearPadding(target, isCounted);
  }

  Value losses = output;
  if (kind == LossKind::MeanSquaredError) {
    Value difference = t.sub(output, target);
    losses = t.mul(difference, difference);
  } else if (kind == LossKind::BinaryCrossEntropy) {
    // max(x, 0) - x * target + log(1 + exp(-|x|)), written with selections so
    // that the gradient at x = 0, where a fresh model often stands, is exact.
    Value zero = t.constant(0.0, type);
    Value isPositive = t.compare(nn::ComparePredicate::gt, output, zero);
    Value positivePart = t.select(isPositive, output, zero);
    Value minusAbs = t.select(isPositive, t.neg(output), output);
    Value softplus = t.log(t.add(t.constant(1.0, type), t.exp(minusAbs)));
    losses = t.add(t.sub(positivePart, t.mul(output, target)), softplus);
  }
  if (weights)
    losses = t.mul(losses, t.broadcast(weights, type.getShape(), {0}));

  LossPair pair;
  pair.sum = t.sumAll(losses);
  RankedTensorType scalar = TensorBuilder::scalar(type.getElementType());
  if (kind == LossKind::Sum) {
    pair.weight = t.constant(1.0, scalar);
    return pair;
  }
  pair.nominal = static_cast<double>(type.getNumElements());
  if (!weights) {
    pair.weight = t.constant(pair.nominal, scalar);
    return pair;
  }
  double elementsPerSample = static_cast<double>(
      ShapedType::getNumElements(type.getShape().drop_front()));
  pair.weight = t.mul(t.sumAll(weights), t.constant(elementsPerSample, scalar));
  return pair;
}

//===----------------------------------------------------------------------===//
// Losses that the model computes
//===----------------------------------------------------------------------===//

/// The value that reshapes show.
static Value skipReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<nn::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

namespace {
/// Labels that a graph hands to a loss: an input, of which the first `shift`
/// along its last dimension may have been left out.
struct GivenLabels {
  BlockArgument input;
  int64_t shift = 0;
};
} // namespace

static GivenLabels findLabels(Value value) {
  GivenLabels labels;
  while (isa_and_nonnull<nn::ReshapeOp, nn::CastOp, nn::SliceOp, nn::PadOp>(
      value.getDefiningOp())) {
    if (auto slice = value.getDefiningOp<nn::SliceOp>();
        slice && !slice.getOffsets().empty())
      labels.shift += slice.getOffsets().back();
    value = value.getDefiningOp()->getOperand(0);
  }
  labels.input = dyn_cast<BlockArgument>(value);
  return labels;
}

LossPair LossBuilder::adopt(Value output, StringRef name) {
  Operation *module = forward->getParentOp();
  GradientPaths paths(forward.getBody().front(), output, module);
  LossPair pair;
  auto quotient = skipReshapes(output).getDefiningOp<nn::DivOp>();
  Value denominator = quotient ? skipReshapes(quotient.getRhs()) : Value();
  // The weight of a cross-entropy counts rows: it does not change with the
  // logits, although they are operands of the operation that returns it.
  auto counted = denominator ? denominator.getDefiningOp<nn::CrossEntropyOp>()
                             : nn::CrossEntropyOp();
  if (counted && denominator != counted.getWeight())
    counted = {};

  DenseElementsAttr constant;
  if (quotient && (counted || !paths.dependsOnParameter(denominator))) {
    pair.sum = t.reshape(quotient.getLhs(), {});
    pair.weight = t.reshape(quotient.getRhs(), {});
    if (counted)
      pair.nominal =
          static_cast<double>(counted.getLogits().getType().getDimSize(0));
    else if (matchPattern(denominator, m_Constant(&constant)) &&
             constant.isSplat())
      pair.nominal = constant.getSplatValue<APFloat>().convertToDouble();
  } else {
    pair.sum = t.reshape(output, {});
    pair.weight = t.constant(1.0, TensorBuilder::typeOf(pair.sum));
    emitRemark(forward.getLoc(), "loss '")
        << name
        << "' is not a quotient by a number of samples, so every micro-batch "
           "counts 1";
  }

  auto classes = skipReshapes(pair.sum).getDefiningOp<nn::CrossEntropyOp>();
  if (!classes || skipReshapes(pair.sum) != classes.getSum())
    return pair;
  pair.correct = nn::CountCorrectOp::create(
      t.builder, t.loc, classes.getLogits(), classes.getLabels(),
      classes.getRowWeight(), classes.getIgnoreIndex());
  if (GivenLabels labels = findLabels(classes.getLabels()); labels.input) {
    forward.setArgAttr(labels.input.getArgNumber(), names::roleAttr,
                       t.builder.getStringAttr(names::labelsRole));
    describeLabels(labels.input, classes.getLogits().getType().getDimSize(1),
                   classes.getIgnoreIndex(), labels.shift == 1);
  }
  return pair;
}
