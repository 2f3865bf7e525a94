#include "passes/differentiate/BatchWeight.h"
#include "passes/differentiate/LearningRate.h"
#include "passes/differentiate/Names.h"
#include "passes/differentiate/Optimizer.h"
#include "passes/differentiate/Passes.h"
#include "passes/differentiate/States.h"
#include "passes/differentiate/TensorBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Regex.h"

namespace dsc {
#define GEN_PASS_DEF_ATTACHOPTIMIZERPASS
#include "passes/differentiate/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;
using nn::ComparePredicate;

namespace {

class AttachOptimizerPass
    : public dsc::impl::AttachOptimizerPassBase<AttachOptimizerPass> {
public:
  using AttachOptimizerPassBase::AttachOptimizerPassBase;
  void runOnOperation() override;

private:
  AttachOptimizerPassOptions getOptions() const;
};

/// Writes the body of @update.
class UpdateBuilder {
public:
  UpdateBuilder(ArrayRef<train::ParameterOp> parameters, OpBuilder &builder,
                Location loc)
      : parameters(parameters), t(builder, loc) {}

  void buildHealth(bool clips);
  void buildLearningRate(const LearningRate &schedule);
  void buildScalars(const Optimizer &optimizer);
  void buildParameter(unsigned index, const Optimizer &optimizer, bool decays);
  void buildReports();

private:
  Value spread(Value scalar, RankedTensorType type) {
    return t.broadcast(scalar, type.getShape(), /*dims=*/{});
  }

  ArrayRef<train::ParameterOp> parameters;
  TensorBuilder t;

  /// Accumulated gradients, one a parameter.
  SmallVector<Value> gradients;
  Value lossSum;
  BatchWeight batch;
  /// Norm of the mean gradient, before clipping.
  Value norm;
  /// What gradients are multiplied by: W0 / W, times the clipping coefficient.
  Value gradientScale;
  /// Whether this update is applied; else every old value stays.
  Value isApplied;
  /// Updates that were applied before this one.
  Value applied, appliedInF64;
  Value lr;
  /// Adam's first beta where the schedule moves it, else null.
  Value beta1;
  /// By element type: zero, the gradient scale and the optimizer's scalars.
  llvm::MapVector<Type, SmallVector<Value>> scalars;
};

} // namespace

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

void UpdateBuilder::buildHealth(bool clips) {
  Value zero = t.constant(0.0), one = t.constant(1.0);
  lossSum = t.read(names::lossSum);
  batch = BatchWeight::build(t, zero, one);
  Value scale = batch.gradientScale;

  Value squares;
  for (train::ParameterOp parameter : parameters) {
    gradients.push_back(
        t.read((parameter.getSymName() + names::gradSuffix).str(),
               parameter.getType()));
    Value square = nn::SumSquaresOp::create(t.builder, t.loc, gradients.back());
    squares = squares ? t.add(squares, square) : square;
  }
  Value normSquared = t.mul(squares, t.mul(scale, scale));
  norm = t.sqrt(normSquared);
  isApplied = t.logicalAnd(t.isFinite(normSquared), t.isFinite(lossSum));

  gradientScale = scale;
  if (clips) {
    // torch.nn.utils.clip_grad_norm_. The host may set the threshold to 0,
    // which clips nothing, as DeepSpeed's gradient_clipping does.
    Value threshold = t.read(names::clipNorm);
    Value coefficient =
        t.min(one, t.div(threshold, t.add(norm, t.constant(1e-6))));
    Value isClipping = t.compare(ComparePredicate::gt, threshold, zero);
    gradientScale = t.mul(scale, t.select(isClipping, coefficient, one));
  }
}

void UpdateBuilder::buildLearningRate(const LearningRate &schedule) {
  applied = t.read(names::appliedSteps,
                   TensorBuilder::scalar(t.builder.getI64Type()));
  appliedInF64 = t.cast(applied, t.builder.getF64Type());
  lr = schedule.build(t, appliedInF64);
  beta1 = schedule.buildBeta1(t, appliedInF64);
}

void UpdateBuilder::buildScalars(const Optimizer &optimizer) {
  Value count = t.add(appliedInF64, t.constant(1.0));
  SmallVector<Value> doubles = optimizer.buildScalars(t, lr, beta1, count);
  doubles.insert(doubles.begin(), gradientScale);
  for (train::ParameterOp parameter : parameters) {
    Type elementType = parameter.getType().getElementType();
    auto [entry, isNew] = scalars.try_emplace(elementType);
    if (!isNew)
      continue;
    entry->second.push_back(
        t.constant(0.0, TensorBuilder::scalar(elementType)));
    for (Value scalar : doubles)
      entry->second.push_back(t.cast(scalar, elementType));
  }
}

//===----------------------------------------------------------------------===//
// One parameter
//===----------------------------------------------------------------------===//

void UpdateBuilder::buildParameter(unsigned index, const Optimizer &optimizer,
                                   bool decays) {
  train::ParameterOp parameter = parameters[index];
  RankedTensorType type = parameter.getType();
  t.loc = parameter.getLoc();
  ArrayRef<Value> converted = scalars[type.getElementType()];
  Value zero = converted[0], scale = converted[1];
  ArrayRef<Value> optimizerScalars = converted.drop_front(2);

  StringRef name = parameter.getSymName();
  SmallVector<std::string> momentNames;
  ParameterState old;
  old.parameter = t.read(name, type);
  for (StringRef suffix : optimizer.getMoments()) {
    momentNames.push_back((name + suffix).str());
    old.moments.push_back(t.read(momentNames.back(), type));
  }

  Value gradient = t.mul(gradients[index], spread(scale, type));
  ParameterState updated =
      optimizer.apply(t, old, gradient, decays, [&](unsigned scalar) {
        return spread(optimizerScalars[scalar], type);
      });

  Value keep = spread(isApplied, type);
  t.write(name, t.select(keep, updated.parameter, old.parameter));
  for (auto [moment, before, after] :
       llvm::zip_equal(momentNames, old.moments, updated.moments))
    t.write(moment, t.select(keep, after, before));
  t.write((name + names::gradSuffix).str(), spread(zero, type));
}

//===----------------------------------------------------------------------===//
// Counters, reports and sums
//===----------------------------------------------------------------------===//

void UpdateBuilder::buildReports() {
  Type f64 = t.builder.getF64Type();
  Value zero = t.constant(0.0);
  Value isSkipped = t.cast(t.logicalNot(isApplied), f64);
  Value loss = t.select(batch.isPresent, t.div(lossSum, batch.safe), zero);
  Value skipped = t.add(t.read(names::reportSkipped), isSkipped);
  t.write(names::appliedSteps,
          t.add(applied, t.cast(isApplied, t.builder.getI64Type())));
  t.write(names::reportLoss, loss);
  t.write(names::reportLr, lr);
  t.write(names::reportGradNorm, norm);
  t.write(names::reportWeight, batch.weight);
  t.write(names::reportSkipped, skipped);
  t.write(names::lossSum, zero);
  t.write(names::lossWeight, zero);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

AttachOptimizerPassOptions AttachOptimizerPass::getOptions() const {
  AttachOptimizerPassOptions options;
  options.optimizer = optimizer;
  options.useMomentum = useMomentum;
  options.nesterov = nesterov;
  options.adamEpsilon = adamEpsilon;
  options.noDecay = noDecay;
  options.clipNorm = clipNorm;
  options.lrSchedule = lrSchedule;
  options.warmupType = warmupType;
  options.lr = lr;
  options.beta1 = beta1;
  options.beta2 = beta2;
  options.eps = eps;
  options.weightDecay = weightDecay;
  options.momentum = momentum;
  options.maxNorm = maxNorm;
  options.warmupSteps = warmupSteps;
  options.totalSteps = totalSteps;
  options.minLr = minLr;
  options.warmupMinRatio = warmupMinRatio;
  options.cosineMinRatio = cosineMinRatio;
  options.cycleMomentum = cycleMomentum;
  options.rangeStaircase = rangeStaircase;
  options.cycleUpSteps = cycleUpSteps;
  options.cycleDownSteps = cycleDownSteps;
  options.cycleUpStairs = cycleUpStairs;
  options.cycleDownStairs = cycleDownStairs;
  options.cycleDecaySteps = cycleDecaySteps;
  options.cycleLrDecay = cycleLrDecay;
  options.cycleMinBeta1 = cycleMinBeta1;
  options.cycleMaxBeta1 = cycleMaxBeta1;
  options.cycleBeta1Decay = cycleBeta1Decay;
  options.rangeSteps = rangeSteps;
  options.rangeRate = rangeRate;
  return options;
}

static void declareStates(ModuleOp module, StateDeclarer &states,
                          const AttachOptimizerPassOptions &options,
                          const Optimizer &optimizer,
                          const LearningRate &schedule) {
  for (train::ParameterOp parameter : getTrainable(module))
    for (StringRef suffix : optimizer.getMoments())
      states.addOf(parameter, suffix, train::StateKind::Moment);
  schedule.declareSettings(states);
  optimizer.declareSettings(states);
  if (options.clipNorm)
    states.addSetting(names::clipNorm, options.maxNorm,
                      "largest L2 norm of all gradients together");
  states.addScalar(names::appliedSteps, train::StateKind::Counter);
  for (StringRef report :
       {names::reportLoss, names::reportLr, names::reportGradNorm,
        names::reportWeight, names::reportSkipped})
    states.addScalar(report, train::StateKind::Report);
  (void)states.claim(names::update);
}

void AttachOptimizerPass::runOnOperation() {
  ModuleOp module = getOperation();
  AttachOptimizerPassOptions options = getOptions();
  FailureOr<std::unique_ptr<Optimizer>> optimizer =
      Optimizer::create(options, module.getLoc());
  FailureOr<LearningRate> schedule =
      LearningRate::create(options, module.getLoc());
  if (failed(optimizer) || failed(schedule))
    return signalPassFailure();
  llvm::Regex noDecayRegex(options.noDecay);
  std::string regexError;
  if (!options.noDecay.empty() && !noDecayRegex.isValid(regexError)) {
    module.emitError("no-decay is not a regular expression: ") << regexError;
    return signalPassFailure();
  }

  SmallVector<train::ParameterOp> parameters = getTrainable(module);
  StateDeclarer states(module);
  declareStates(module, states, options, **optimizer, *schedule);
  if (!states.succeeded())
    return signalPassFailure();

  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto update = train::EntryOp::create(builder, module.getLoc(), names::update,
                                       train::EntryKind::Update,
                                       builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(&update.getBody().front());

  UpdateBuilder body(parameters, builder, module.getLoc());
  body.buildHealth(options.clipNorm);
  body.buildLearningRate(*schedule);
  body.buildScalars(**optimizer);
  for (auto [index, parameter] : llvm::enumerate(parameters)) {
    bool decays =
        options.noDecay.empty() || !noDecayRegex.match(parameter.getSymName());
    body.buildParameter(index, **optimizer, decays);
  }
  body.buildReports();
  train::ReturnOp::create(builder, module.getLoc());
}
