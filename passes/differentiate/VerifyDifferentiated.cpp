#include "passes/differentiate/Names.h"
#include "passes/differentiate/Passes.h"
#include "passes/differentiate/States.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace dsc {
#define GEN_PASS_DEF_VERIFYDIFFERENTIATEDPASS
#include "passes/differentiate/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;
using namespace dsc::train;

namespace {

struct VerifyDifferentiatedPass
    : public dsc::impl::VerifyDifferentiatedPassBase<VerifyDifferentiatedPass> {
  using VerifyDifferentiatedPassBase::VerifyDifferentiatedPassBase;
  void runOnOperation() override;
};

struct ExpectedEntry {
  StringLiteral name;
  EntryKind kind;
};

} // namespace

static constexpr ExpectedEntry trainingEntries[] = {
    {names::step, EntryKind::Step},
    {names::stepLast, EntryKind::StepLast},
    {names::update, EntryKind::Update},
    {names::eval, EntryKind::Eval}};

/// Entries that training may have beside those.
static constexpr ExpectedEntry diagnosticEntries[] = {
    {names::layerNorms, EntryKind::LayerNorms},
    {names::stepDebug, EntryKind::Debug},
    {names::updateDebug, EntryKind::DebugUpdate}};

/// (D1)
static LogicalResult verifyEntries(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (!isa<ParameterOp, StateOp, EntryOp>(op))
      return op.emitError("is not expected after differentiation; all code is "
                          "in train.entry");
  auto forward = module.lookupSymbol<EntryOp>(names::forward);
  if (forward && forward.getKind() != EntryKind::Forward)
    return forward.emitError("expects kind 'forward'");
  auto entries = module.getOps<EntryOp>();
  if (forward && llvm::hasSingleElement(entries))
    return success();
  for (const ExpectedEntry &expected : trainingEntries) {
    auto entry = module.lookupSymbol<EntryOp>(expected.name);
    if (!entry)
      return module.emitError("has no train.entry @") << expected.name;
    if (entry.getKind() != expected.kind)
      return entry.emitError("expects kind '")
             << stringifyEntryKind(expected.kind) << "'";
  }
  for (EntryOp entry : entries) {
    auto isExpected = [&](const ExpectedEntry &expected) {
      return entry.getSymName() == expected.name &&
             entry.getKind() == expected.kind;
    };
    if (entry != forward && llvm::none_of(trainingEntries, isExpected) &&
        llvm::none_of(diagnosticEntries, isExpected))
      return entry.emitError(
          "is none of step, step_last, update, eval, forward, layer_norms, "
          "step.debug and update.debug, each of its kind");
  }
  return success();
}

/// (D2)
static LogicalResult verifyInputs(EntryOp entry) {
  llvm::StringSet<> seen;
  for (unsigned index : llvm::seq(entry.getNumArguments())) {
    auto name = entry.getArgAttrOfType<StringAttr>(index, names::nameAttr);
    if (!seen.insert(name).second)
      return entry.emitError("has two inputs named '")
             << name.getValue() << "'";
    auto role = entry.getArgAttrOfType<StringAttr>(index, names::roleAttr);
    if (!role ||
        !llvm::is_contained({names::dataRole, names::labelsRole,
                             names::targetRole, names::sampleWeightRole},
                            role.getValue()))
      return entry.emitError("input '")
             << name.getValue()
             << "' has no role among data, labels, target and sample_weight";
  }
  return success();
}

/// (D2)
static LogicalResult verifySameInputs(EntryOp step, EntryOp other) {
  if (step.getArgumentTypes() == other.getArgumentTypes() &&
      step.getArgAttrsAttr() == other.getArgAttrsAttr())
    return success();
  return other.emitError("expects the same inputs as @step");
}

/// (D2)
static LogicalResult verifySomeInputs(EntryOp step, EntryOp forward) {
  llvm::StringMap<unsigned> inputs;
  for (unsigned index : llvm::seq(step.getNumArguments()))
    inputs[step.getArgAttrOfType<StringAttr>(index, names::nameAttr)] = index;
  for (unsigned index : llvm::seq(forward.getNumArguments())) {
    auto name = forward.getArgAttrOfType<StringAttr>(index, names::nameAttr);
    auto same = inputs.find(name);
    if (same == inputs.end() || step.getArgumentTypes()[same->second] !=
                                    forward.getArgumentTypes()[index])
      return forward.emitError("input '")
             << name.getValue() << "' is not one of @step";
  }
  return success();
}

/// (D3)
static LogicalResult verifyBody(EntryOp entry) {
  for (Operation &op : entry.getBody().front()) {
    StringRef dialect = op.getName().getDialectNamespace();
    if (dialect != nn::NnDialect::getDialectNamespace() &&
        dialect != TrainDialect::getDialectNamespace())
      return op.emitError("is not of the nn or train dialect");
    for (Type type : op.getResultTypes())
      if (!cast<ShapedType>(type).hasStaticShape())
        return op.emitError("has no static shape: ") << type;
  }
  return success();
}

/// (D4)
static LogicalResult verifyGradients(ModuleOp module, EntryOp step) {
  llvm::StringSet<> gradients;
  for (auto gradient : step.getOps<GradientOp>())
    gradients.insert(gradient.getParameter());
  for (ParameterOp parameter : getTrainable(module))
    if (!gradients.contains(parameter.getSymName()))
      return parameter.emitError("is trained, but has no gradient in @")
             << step.getSymName();
  return success();
}

static LogicalResult verifyParameterStates(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::StringMap<unsigned> gradientStates;
  for (auto state : module.getOps<StateOp>()) {
    if (!state.getParameter())
      continue;
    auto parameter = symbols.lookup<ParameterOp>(*state.getParameter());
    if (!parameter.isTrainable())
      return state.emitError("belongs to a parameter that is not trained");
    if (state.getKind() == StateKind::Gradient)
      ++gradientStates[parameter.getSymName()];
  }
  for (ParameterOp parameter : getTrainable(module))
    if (gradientStates.lookup(parameter.getSymName()) != 1)
      return parameter.emitError("is trained, so it must have one gradient "
                                 "state");
  return success();
}

/// (D5)
static LogicalResult verifyLoss(EntryOp step) {
  for (StringRef name : {names::lossSum, names::lossWeight}) {
    auto count = llvm::count_if(step.getOps<AccumulateOp>(), [&](auto op) {
      return op.getSymbol() == name;
    });
    if (count != 1)
      return step.emitError("adds ")
             << count << " times to @" << name << ", expects once";
  }
  return success();
}

/// The counters that `step` adds to; nothing, with an error, if it adds to one
/// twice. (D5)
static FailureOr<llvm::StringSet<>> getCounted(EntryOp step,
                                               const SymbolTable &symbols) {
  llvm::StringSet<> counted;
  for (auto accumulate : step.getOps<AccumulateOp>()) {
    auto state = symbols.lookup<StateOp>(accumulate.getSymbol());
    if (state.getKind() == StateKind::Counter &&
        !counted.insert(accumulate.getSymbol()).second)
      return accumulate.emitError("adds to counter @")
             << accumulate.getSymbol() << " a second time";
  }
  return counted;
}

/// Whether update is responsible for the value of `symbol`.
static bool isWrittenByUpdate(Operation &symbol,
                              const llvm::StringSet<> &counted) {
  if (auto parameter = dyn_cast<ParameterOp>(symbol))
    return parameter.isTrainable();
  auto state = dyn_cast<StateOp>(symbol);
  if (!state)
    return false;
  if (state.getKind() == StateKind::Accumulator)
    return llvm::is_contained({names::lossSum, names::lossWeight},
                              state.getSymName());
  return state.getKind() != StateKind::Setting &&
         !counted.contains(state.getSymName());
}

/// (D6) (D7)
static LogicalResult verifyUpdate(ModuleOp module, EntryOp update,
                                  const llvm::StringSet<> &counted) {
  llvm::StringMap<Operation *> writes;
  for (Operation &op : update.getBody().front()) {
    if (isa<AccumulateOp>(op))
      return op.emitError("is not expected in update, which only resets sums");
    if (auto read = dyn_cast<ReadOp>(op)) {
      if (Operation *write = writes.lookup(read.getSymbol())) {
        InFlightDiagnostic diagnostic = read.emitError("reads @")
                                        << read.getSymbol()
                                        << " after update has written it";
        diagnostic.attachNote(write->getLoc()) << "written here";
        return diagnostic;
      }
    } else if (auto write = dyn_cast<WriteOp>(op)) {
      if (!writes.try_emplace(write.getSymbol(), write).second)
        return write.emitError("writes @")
               << write.getSymbol() << " a second time";
    }
  }
  for (Operation &symbol : *module.getBody())
    if (isWrittenByUpdate(symbol, counted) &&
        !writes.contains(cast<SymbolOpInterface>(symbol).getName()))
      return symbol.emitError("is never written by @update");
  return success();
}

static LogicalResult verifyTraining(ModuleOp module) {
  SymbolTable symbols(module);
  auto step = symbols.lookup<EntryOp>(names::step);
  auto stepLast = symbols.lookup<EntryOp>(names::stepLast);
  auto forward = symbols.lookup<EntryOp>(names::forward);
  auto debug = symbols.lookup<EntryOp>(names::stepDebug);
  if (failed(verifySameInputs(step, stepLast)) ||
      failed(verifySameInputs(step, symbols.lookup<EntryOp>(names::eval))) ||
      (debug && failed(verifySameInputs(step, debug))) ||
      (forward && failed(verifySomeInputs(step, forward))))
    return failure();
  for (EntryOp entry : {step, stepLast})
    if (failed(verifyGradients(module, entry)) || failed(verifyLoss(entry)))
      return failure();
  if (failed(verifyParameterStates(module)))
    return failure();
  FailureOr<llvm::StringSet<>> counted = getCounted(step, symbols);
  FailureOr<llvm::StringSet<>> countedLast = getCounted(stepLast, symbols);
  if (failed(counted) || failed(countedLast))
    return failure();
  for (const auto &name : counted->keys())
    if (!countedLast->contains(name))
      return stepLast.emitError("does not add to counter @")
             << name << ", as @step does";
  for (const auto &name : countedLast->keys())
    if (!counted->contains(name))
      return step.emitError("does not add to counter @")
             << name << ", as @step_last does";
  return verifyUpdate(module, symbols.lookup<EntryOp>(names::update), *counted);
}

void VerifyDifferentiatedPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto verify = [&]() -> LogicalResult {
    if (failed(verifyEntries(module)))
      return failure();
    for (auto entry : module.getOps<EntryOp>())
      if (failed(verifyInputs(entry)) || failed(verifyBody(entry)))
        return failure();
    if (module.lookupSymbol<EntryOp>(names::step))
      return verifyTraining(module);
    for (ParameterOp parameter : getTrainable(module))
      return parameter.emitError("is trained, but there is no step");
    return success();
  };
  if (failed(verify()))
    return signalPassFailure();
  markAllAnalysesPreserved();
}
