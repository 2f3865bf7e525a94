#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/differentiate/LossBuilder.h"
#include "passes/differentiate/Names.h"
#include "passes/differentiate/Passes.h"

namespace dsc {
#define GEN_PASS_DEF_ATTACHLOSSPASS
#include "passes/differentiate/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// A named output of the model and the value that it returns.
struct Output {
  StringRef name;
  Value value;
};

class AttachLossPass : public dsc::impl::AttachLossPassBase<AttachLossPass> {
public:
  using AttachLossPassBase::AttachLossPassBase;
  void runOnOperation() override;

private:
  FailureOr<Output> chooseOutput(const LossSpec &spec, ArrayRef<Output> outputs,
                                 Location loc);
};

} // namespace

/// @forward, or null with an error when it is not in normal form.
static func::FuncOp getForward(ModuleOp module) {
  auto forward = module.lookupSymbol<func::FuncOp>(names::forward);
  if (!forward || !forward.getBody().hasOneBlock()) {
    module.emitError("expects the model as func.func @forward with one block");
    return {};
  }
  WalkResult walk = forward.walk([&](Operation *op) {
    auto types =
        llvm::concat<const Type>(op->getResultTypes(), op->getOperandTypes());
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type);
          !tensor || !tensor.hasStaticShape()) {
        op->emitError("expects tensors of static shape, got ") << type;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return walk.wasInterrupted() ? func::FuncOp() : forward;
}

/// Lists outputs for a message: 'logits' (tensor<64x10xf32>), ...
static std::string describe(ArrayRef<Output> outputs) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(outputs, os, [&](const Output &output) {
    os << "'" << output.name << "' (" << output.value.getType() << ")";
  });
  return text;
}

static bool isFloatWithOneElement(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return isa<FloatType>(type.getElementType()) && type.getNumElements() == 1;
}

FailureOr<Output> AttachLossPass::chooseOutput(const LossSpec &spec,
                                               ArrayRef<Output> outputs,
                                               Location loc) {
  if (!spec.output.empty()) {
    const Output *found = llvm::find_if(outputs, [&](const Output &output) {
      return output.name == spec.output;
    });
    if (found == outputs.end())
      return emitError(loc, "in --loss: the model has no output '")
             << spec.output << "'; its outputs are " << describe(outputs);
    if (spec.kind == LossKind::Output && !isFloatWithOneElement(found->value))
      return emitError(loc, "in --loss: output '")
             << spec.output << "' has type " << found->value.getType()
             << ", but a loss is one floating-point number; minimise its sum "
                "with --loss=sum("
             << spec.output << ")";
    return *found;
  }

  auto scalars = llvm::to_vector(
      llvm::make_filter_range(outputs, [](const Output &output) {
        return isFloatWithOneElement(output.value);
      }));
  if (scalars.size() == 1)
    return scalars.front();
  return emitError(loc, "no loss is given, and the model has ")
         << (scalars.empty() ? "no" : "more than one")
         << " floating-point output of one element; pass --loss=OUTPUT, "
            "cross_entropy(OUTPUT,LABELS), mse(OUTPUT,TARGET), "
            "bce_with_logits(OUTPUT,TARGET) or sum(OUTPUT); the outputs are "
         << describe(outputs);
}

/// Appends a result that is not an output of the model.
static void appendResult(func::FuncOp forward, Value value, StringRef role,
                         std::optional<double> nominal = std::nullopt) {
  Builder builder(forward.getContext());
  NamedAttrList attributes;
  attributes.append(names::roleAttr, builder.getStringAttr(role));
  if (nominal)
    attributes.append(names::nominalAttr, builder.getF64FloatAttr(*nominal));
  (void)forward.insertResult(forward.getNumResults(), value.getType(),
                             attributes.getDictionary(builder.getContext()));
  Operation *terminator = forward.getBody().front().getTerminator();
  terminator->insertOperands(terminator->getNumOperands(), value);
}

void AttachLossPass::runOnOperation() {
  func::FuncOp forward = getForward(getOperation());
  if (!forward)
    return signalPassFailure();
  Location loc = forward.getLoc();

  Operation *terminator = forward.getBody().front().getTerminator();
  SmallVector<Output> outputs;
  SmallVector<StringRef> outputNames;
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    auto name = forward.getResultAttrOfType<StringAttr>(index, names::nameAttr);
    if (!name) {
      forward.emitError("result ") << index << " has no 'dsc.name'";
      return signalPassFailure();
    }
    outputs.push_back({name, value});
    outputNames.push_back(name);
  }

  FailureOr<LossSpec> spec = LossSpec::parse(loss, outputNames, loc);
  if (failed(spec))
    return signalPassFailure();
  FailureOr<Output> output = chooseOutput(*spec, outputs, loc);
  if (failed(output))
    return signalPassFailure();

  OpBuilder builder(terminator);
  LossBuilder lossBuilder(forward, builder,
                          NameLoc::get(builder.getStringAttr("loss"), loc));
  FailureOr<LossPair> pair =
      spec->kind == LossKind::Output
          ? FailureOr<LossPair>(lossBuilder.adopt(output->value, output->name))
          : lossBuilder.build(*spec, output->value);
  if (failed(pair))
    return signalPassFailure();

  for (unsigned index : llvm::seq(forward.getNumArguments()))
    if (!forward.getArgAttr(index, names::roleAttr))
      forward.setArgAttr(index, names::roleAttr,
                         builder.getStringAttr(names::dataRole));
  appendResult(forward, pair->sum, names::lossSumRole);
  appendResult(forward, pair->weight, names::lossWeightRole, pair->nominal);
  if (pair->correct)
    appendResult(forward, pair->correct, names::correctRole);
}
