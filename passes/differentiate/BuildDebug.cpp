#include "dialects/interfaces/FusionOpInterface.h"
#include "passes/analysis/ModelPlace.h"
#include "passes/differentiate/Names.h"
#include "passes/differentiate/Passes.h"
#include "passes/differentiate/States.h"
#include "passes/differentiate/TensorBuilder.h"
#include "llvm/ADT/DenseSet.h"

namespace dsc {
#define GEN_PASS_DEF_BUILDDEBUGPASS
#include "passes/differentiate/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// The summaries that an entry returns, and what each is of.
class Summaries {
public:
  explicit Summaries(MLIRContext *context) : builder(context) {}

  /// Adds the summary of `value`, made where `at` stands, and returns its
  /// number.
  int64_t add(OpBuilder &at, Location loc, Value value, bool nanOnly,
              NamedAttrList check) {
    auto type = cast<RankedTensorType>(value.getType());
    check.set(names::checkShape, builder.getDenseI64ArrayAttr(type.getShape()));
    values.push_back(nn::SummarizeOp::create(at, loc, value, nanOnly));
    checks.push_back(std::move(check));
    return values.size() - 1;
  }

  /// Says that a summarised value is one that counts.
  void setLeaves(int64_t number) {
    checks[number].set(names::checkLeaves, builder.getUnitAttr());
  }

  /// Lets `entry`, which has no results, return the summaries.
  void returnFrom(train::EntryOp entry);

private:
  Builder builder;
  SmallVector<Value> values;
  std::vector<NamedAttrList> checks;
};

/// Writes `@step.debug`.
class StepDebugger {
public:
  StepDebugger(train::EntryOp entry, ModuleOp module)
      : entry(entry), symbols(module), summaries(entry->getContext()),
        builder(entry->getContext()) {}

  void run();

private:
  void visit(Operation *op);
  void visitRead(train::ReadOp read);
  void visitComputation(Operation *op);
  int64_t summarize(Location loc, Value value, NamedAttrList check);
  void leave(Value value);
  bool makesInfinity(Operation *op) const;

  train::EntryOp entry;
  SymbolTable symbols;
  Summaries summaries;
  OpBuilder builder;
  /// The summary that tells of a value.
  llvm::DenseMap<Value, int64_t> numbers;
  /// Values that hold infinities because the model says so.
  llvm::DenseSet<Value> infinite;
  bool isBackward = false;
};

class BuildDebugPass : public dsc::impl::BuildDebugPassBase<BuildDebugPass> {
public:
  using BuildDebugPassBase::BuildDebugPassBase;
  void runOnOperation() override;
};

bool isFloat(Value value) {
  return isa<FloatType>(cast<ShapedType>(value.getType()).getElementType());
}

/// The name of a parameter in the user's file.
StringRef getUserName(train::ParameterOp parameter) {
  return parameter.getOnnxName().value_or(parameter.getSymName());
}

NamedAttrList describe(Builder &builder, StringRef kind) {
  NamedAttrList check;
  check.set(names::checkKind, builder.getStringAttr(kind));
  return check;
}

} // namespace

//===----------------------------------------------------------------------===//
// Summaries
//===----------------------------------------------------------------------===//

void Summaries::returnFrom(train::EntryOp entry) {
  SmallVector<Attribute> attributes;
  for (auto [number, check] : llvm::enumerate(checks)) {
    NamedAttrList result;
    result.set(names::nameAttr, builder.getStringAttr(Twine(number)));
    result.set(names::checkAttr, check.getDictionary(builder.getContext()));
    attributes.push_back(result.getDictionary(builder.getContext()));
  }
  entry.setFunctionType(
      FunctionType::get(builder.getContext(), entry.getArgumentTypes(),
                        llvm::to_vector(ValueRange(values).getTypes())));
  entry.setResAttrsAttr(builder.getArrayAttr(attributes));
  Operation *end = &entry.getBody().front().back();
  end->setOperands(values);
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

void StepDebugger::run() {
  Block &block = entry.getBody().front();
  builder.setInsertionPointToStart(&block);
  SmallVector<Operation *> ops(
      llvm::make_pointer_range(block.without_terminator()));
  for (BlockArgument argument : block.getArguments()) {
    if (!isFloat(argument))
      continue;
    NamedAttrList check = describe(builder, "input");
    check.set(names::checkName,
              entry.getArgAttr(argument.getArgNumber(), names::nameAttr));
    numbers[argument] = summaries.add(builder, argument.getLoc(), argument,
                                      /*nanOnly=*/false, std::move(check));
  }
  for (Operation *op : ops)
    visit(op);
  summaries.returnFrom(entry);
}

void StepDebugger::visit(Operation *op) {
  builder.setInsertionPointAfter(op);
  if (auto read = dyn_cast<train::ReadOp>(op)) {
    visitRead(read);
  } else if (auto gradient = dyn_cast<train::GradientOp>(op)) {
    leave(gradient.getValue());
    gradient->erase();
  } else if (auto accumulate = dyn_cast<train::AccumulateOp>(op)) {
    leave(accumulate.getValue());
    // All of forward stands before its loss is taken, all of backward behind.
    isBackward |= accumulate.getSymbol() == names::lossWeight;
    accumulate->erase();
  } else {
    visitComputation(op);
  }
}

void StepDebugger::visitRead(train::ReadOp read) {
  auto parameter = symbols.lookup<train::ParameterOp>(read.getSymbol());
  if (!parameter || !isFloat(read.getResult()))
    return;
  if (parameter.getRole() == train::ParameterRole::Buffer)
    infinite.insert(read.getResult());
  NamedAttrList check = describe(builder, "parameter");
  check.set(names::checkName, builder.getStringAttr(getUserName(parameter)));
  numbers[read.getResult()] =
      summarize(read.getLoc(), read.getResult(), std::move(check));
}

/// Whether infinities that come out of `op` are ones that the model means, such
/// as those of masks.
bool StepDebugger::makesInfinity(Operation *op) const {
  if (auto constant = dyn_cast<nn::ConstantOp>(op)) {
    auto numbers = dyn_cast<DenseFPElementsAttr>(constant.getValue());
    return numbers && llvm::any_of(numbers, [](const APFloat &number) {
             return number.isInfinity();
           });
  }
  auto fusible = dyn_cast<FusionOpInterface>(op);
  if (!fusible ||
      !llvm::is_contained({FusionKind::View, FusionKind::Broadcast,
                           FusionKind::Transpose, FusionKind::Elementwise},
                          fusible.getFusionKind()))
    return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value v) { return infinite.contains(v); });
}

void StepDebugger::visitComputation(Operation *op) {
  if (makesInfinity(op))
    infinite.insert_range(op->getResults());
  auto fusible = dyn_cast<FusionOpInterface>(op);
  FusionKind kind = fusible ? fusible.getFusionKind() : FusionKind::Row;
  if (kind == FusionKind::Constant)
    return;
  auto getNumber = [&](Value value) -> int64_t {
    auto it = numbers.find(value);
    return it == numbers.end() ? -1 : it->second;
  };
  // The same numbers in another shape.
  if (kind == FusionKind::View || kind == FusionKind::Transpose ||
      isa<nn::BroadcastOp>(op)) {
    if (int64_t number = getNumber(op->getOperand(0)); number >= 0)
      numbers[op->getResult(0)] = number;
    return;
  }
  for (Value result : op->getResults()) {
    if (!isFloat(result))
      continue;
    NamedAttrList check = describe(builder, "operation");
    check.set(names::checkDirection,
              builder.getStringAttr(isBackward ? "backward" : "forward"));
    check.set(names::checkOp,
              builder.getStringAttr(op->getName().stripDialect()));
    if (StringRef place = getModelPlace(op->getLoc()); !place.empty())
      check.set(names::checkPlace, builder.getStringAttr(place));
    check.set(names::checkInputs,
              builder.getDenseI64ArrayAttr(
                  llvm::map_to_vector(op->getOperands(), getNumber)));
    numbers[result] = summarize(op->getLoc(), result, std::move(check));
  }
}

/// Where infinities are meant, a first summary tells of NaN alone, and a second
/// one of what the value is like.
int64_t StepDebugger::summarize(Location loc, Value value,
                                NamedAttrList check) {
  if (!infinite.contains(value))
    return summaries.add(builder, loc, value, /*nanOnly=*/false,
                         std::move(check));
  int64_t nan = summaries.add(builder, loc, value, /*nanOnly=*/true, check);
  SmallVector<int64_t> inputs{nan};
  if (auto others =
          dyn_cast_or_null<DenseI64ArrayAttr>(check.get(names::checkInputs)))
    llvm::append_range(inputs, others.asArrayRef());
  check.set(names::checkInputs, builder.getDenseI64ArrayAttr(inputs));
  check.set(names::checkMeant, builder.getUnitAttr());
  return summaries.add(builder, loc, value, /*nanOnly=*/false,
                       std::move(check));
}

void StepDebugger::leave(Value value) {
  if (auto it = numbers.find(value); it != numbers.end())
    summaries.setLeaves(it->second);
}

//===----------------------------------------------------------------------===//
// The update
//===----------------------------------------------------------------------===//

static void summarizeState(Summaries &summaries, OpBuilder &builder,
                           Operation *symbol, train::ParameterOp parameter,
                           StringRef kind) {
  StringRef name = SymbolTable::getSymbolName(symbol).getValue();
  NamedAttrList check = describe(builder, kind);
  check.set(names::checkName, builder.getStringAttr(getUserName(parameter)));
  check.set(names::checkState, builder.getStringAttr(name));
  Location loc = symbol->getLoc();
  Value value = train::ReadOp::create(builder, loc, parameter.getType(), name);
  summaries.setLeaves(
      summaries.add(builder, loc, value, /*nanOnly=*/false, std::move(check)));
}

static void buildUpdateDebug(ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto entry = train::EntryOp::create(
      builder, module.getLoc(), names::updateDebug,
      train::EntryKind::DebugUpdate, builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(&entry.getBody().front());
  SymbolTable symbols(module);
  Summaries summaries(module.getContext());
  auto summarizeStates = [&](train::StateKind kind) {
    for (auto state : module.getOps<train::StateOp>())
      if (state.getKind() == kind)
        summarizeState(
            summaries, builder, state,
            symbols.lookup<train::ParameterOp>(*state.getParameter()),
            train::stringifyStateKind(kind));
  };
  summarizeStates(train::StateKind::Moment);
  for (train::ParameterOp parameter : getTrainable(module))
    summarizeState(summaries, builder, parameter, parameter, "parameter");
  summarizeStates(train::StateKind::Gradient);
  train::ReturnOp::create(builder, module.getLoc());
  summaries.returnFrom(entry);
}

void BuildDebugPass::runOnOperation() {
  ModuleOp module = getOperation();
  StateDeclarer states(module);
  if (!states.claim(names::stepDebug) || !states.claim(names::updateDebug))
    return signalPassFailure();
  auto last = module.lookupSymbol<train::EntryOp>(names::stepLast);
  if (!last) {
    module.emitError("has no entry @") << names::stepLast << " to debug";
    return signalPassFailure();
  }
  train::EntryOp step = last.clone();
  step.setSymName(names::stepDebug);
  step.setKind(train::EntryKind::Debug);
  module.push_back(step);
  StepDebugger(step, module).run();
  buildUpdateDebug(module);
}
