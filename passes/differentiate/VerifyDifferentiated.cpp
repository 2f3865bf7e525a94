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

static constexpr ExpectedEntry expectedEntries[] = {
    {names::step, EntryKind::Step},
    {names::stepLast, EntryKind::StepLast},
    {names::update, EntryKind::Update},
    {names::eval, EntryKind::Eval}};

/// (D1)
static LogicalResult verifyEntries(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (!isa<ParameterOp, StateOp, EntryOp>(op))
      return op.emitError("is not expected after differentiation; all code is "
                          "in train.entry");
  for (const ExpectedEntry &expected : expectedEntries) {
    auto entry = module.lookupSymbol<EntryOp>(expected.name);
    if (!entry)
      return module.emitError("has no train.entry @") << expected.name;
    if (entry.getKind() != expected.kind)
      return entry.emitError("expects kind '")
             << stringifyEntryKind(expected.kind) << "'";
  }
  for (auto entry : module.getOps<EntryOp>())
    if (llvm::none_of(expectedEntries, [&](const ExpectedEntry &expected) {
          return entry.getSymName() == expected.name;
        }))
      return entry.emitError("is not one of step, step_last, update and eval");
  return success();
}

/// (D2)
static LogicalResult verifyInputs(EntryOp step, EntryOp other) {
  if (step.getArgumentTypes() != other.getArgumentTypes() ||
      step.getArgAttrsAttr() != other.getArgAttrsAttr())
    return other.emitError("expects the same inputs as @step");
  llvm::StringSet<> seen;
  for (unsigned index : llvm::seq(step.getNumArguments())) {
    auto name = step.getArgAttrOfType<StringAttr>(index, names::nameAttr);
    if (!seen.insert(name).second)
      return step.emitError("has two inputs named '") << name.getValue() << "'";
    auto role = step.getArgAttrOfType<StringAttr>(index, names::roleAttr);
    if (!role ||
        !llvm::is_contained({names::dataRole, names::labelsRole,
                             names::targetRole, names::sampleWeightRole},
                            role.getValue()))
      return step.emitError("input '")
             << name.getValue()
             << "' has no role among data, labels, target and sample_weight";
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
  llvm::StringMap<unsigned> gradients;
  for (auto gradient : step.getOps<GradientOp>())
    ++gradients[gradient.getParameter()];
  for (ParameterOp parameter : getTrainable(module))
    if (unsigned count = gradients.lookup(parameter.getSymName()); count != 1)
      return parameter.emitError("is trained, but has ")
             << count << " gradients in @" << step.getSymName()
             << ", expects one";
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

/// Whether update is responsible for the value of `symbol`.
static bool isWrittenByUpdate(Operation &symbol) {
  if (auto parameter = dyn_cast<ParameterOp>(symbol))
    return parameter.isTrainable();
  auto state = dyn_cast<StateOp>(symbol);
  if (!state)
    return false;
  if (state.getKind() == StateKind::Accumulator)
    return llvm::is_contained({names::lossSum, names::lossWeight},
                              state.getSymName());
  return state.getKind() != StateKind::Setting;
}

/// (D6) (D7)
static LogicalResult verifyUpdate(ModuleOp module, EntryOp update) {
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
    if (isWrittenByUpdate(symbol) &&
        !writes.contains(cast<SymbolOpInterface>(symbol).getName()))
      return symbol.emitError("is never written by @update");
  return success();
}

void VerifyDifferentiatedPass::runOnOperation() {
  ModuleOp module = getOperation();
  auto verify = [&]() -> LogicalResult {
    if (failed(verifyEntries(module)))
      return failure();
    auto step = module.lookupSymbol<EntryOp>(names::step);
    auto stepLast = module.lookupSymbol<EntryOp>(names::stepLast);
    auto update = module.lookupSymbol<EntryOp>(names::update);
    auto eval = module.lookupSymbol<EntryOp>(names::eval);
    if (failed(verifyInputs(step, stepLast)) ||
        failed(verifyInputs(step, eval)))
      return failure();
    for (EntryOp entry : {step, stepLast, update, eval})
      if (failed(verifyBody(entry)))
        return failure();
    for (EntryOp entry : {step, stepLast})
      if (failed(verifyGradients(module, entry)) || failed(verifyLoss(entry)))
        return failure();
    if (failed(verifyParameterStates(module)))
      return failure();
    return verifyUpdate(module, update);
  };
  if (failed(verify()))
    return signalPassFailure();
  markAllAnalysesPreserved();
}
