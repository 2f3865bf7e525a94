#include "passes/precision/Passes.h"

namespace dsc {
#define GEN_PASS_DEF_ASSIGNTYPESPASS
#include "passes/precision/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;
using namespace dsc::train;

namespace {
struct AssignTypesPass
    : public dsc::impl::AssignTypesPassBase<AssignTypesPass> {
  using AssignTypesPassBase::AssignTypesPassBase;
  void runOnOperation() override;
};
} // namespace

/// f64 in place of f32, whether as scalar, tensor or signature.
static Type widen(Type type) {
  if (isa<Float32Type>(type))
    return Float64Type::get(type.getContext());
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(widen(tensor.getElementType()));
  if (auto function = dyn_cast<FunctionType>(type))
    return FunctionType::get(type.getContext(),
                             llvm::map_to_vector(function.getInputs(), widen),
                             llvm::map_to_vector(function.getResults(), widen));
  return type;
}

static Attribute widen(Attribute attribute) {
  auto elements = dyn_cast_or_null<DenseFPElementsAttr>(attribute);
  if (!elements || !elements.getElementType().isF32())
    return attribute;
  return elements.mapValues(
      Float64Type::get(attribute.getContext()), [](const APFloat &value) {
        APFloat wide = value;
        bool losesInfo;
        wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
        return wide.bitcastToAPInt();
      });
}

static void widenParameter(ParameterOp parameter) {
  Type elementType = parameter.getType().getElementType();
  if (!elementType.isF32())
    return;
  if (!parameter.getStorage())
    parameter.setStorage(elementType);
  parameter.setType(cast<RankedTensorType>(widen(parameter.getType())));
  if (Attribute initial = parameter.getInitialAttr())
    parameter.setInitialAttr(widen(initial));
}

static void widenEntry(EntryOp entry) {
  entry.setFunctionType(cast<FunctionType>(widen(entry.getFunctionType())));
  Block &body = entry.getBody().front();
  for (BlockArgument argument : body.getArguments())
    argument.setType(widen(argument.getType()));
  for (Operation &op : llvm::make_early_inc_range(body)) {
    for (Value result : op.getResults())
      result.setType(widen(result.getType()));
    if (auto constant = dyn_cast<nn::ConstantOp>(op))
      constant.setValueAttr(cast<ElementsAttr>(widen(constant.getValueAttr())));
    if (auto castOp = dyn_cast<nn::CastOp>(op);
        castOp && castOp.getInput().getType() == castOp.getType()) {
      castOp.replaceAllUsesWith(castOp.getInput());
      castOp.erase();
    }
  }
}

void AssignTypesPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (policy == "f32")
    return markAllAnalysesPreserved();
  if (policy != "f64") {
    module.emitError("unknown precision policy '")
        << policy << "'; this version supports f32 and f64";
    return signalPassFailure();
  }
  for (Operation &op : *module.getBody()) {
    if (auto parameter = dyn_cast<ParameterOp>(op))
      widenParameter(parameter);
    else if (auto state = dyn_cast<StateOp>(op))
      state.setType(cast<RankedTensorType>(widen(state.getType())));
    else if (auto entry = dyn_cast<EntryOp>(op))
      widenEntry(entry);
  }
}
