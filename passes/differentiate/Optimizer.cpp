#include "passes/differentiate/Optimizer.h"

#include "passes/differentiate/Names.h"

using namespace mlir;
using namespace dsc;

namespace {

/// torch.optim.SGD with dampening 0. A momentum buffer that starts at zero is
/// PyTorch's, which starts as the first gradient.
class Sgd : public Optimizer {
public:
  explicit Sgd(const AttachOptimizerPassOptions &options) : options(options) {}

  SmallVector<StringRef, 2> getMoments() const override {
    if (options.useMomentum)
      return {names::momentumSuffix};
    return {};
  }

  void declareSettings(StateDeclarer &states) const override {
    states.addSetting(names::weightDecay, options.weightDecay, "weight decay");
    if (options.useMomentum)
      states.addSetting(names::momentum, options.momentum, "momentum");
  }

  SmallVector<Value> buildScalars(TensorBuilder &t, Value lr, Value beta1,
                                  Value count) const override {
    SmallVector<Value> scalars = {lr, t.read(names::weightDecay)};
    if (options.useMomentum)
      scalars.push_back(t.read(names::momentum));
    return scalars;
  }

  ParameterState apply(TensorBuilder &t, const ParameterState &old, Value g,
                       bool decays,
                       function_ref<Value(unsigned)> spread) const override {
    enum { Lr, Decay, Momentum };
    ParameterState result;
    if (decays)
      g = t.add(g, t.mul(spread(Decay), old.parameter));
    if (options.useMomentum) {
      Value momentum = spread(Momentum);
      Value buffer = t.add(t.mul(momentum, old.moments[0]), g);
      g = options.nesterov ? t.add(g, t.mul(momentum, buffer)) : buffer;
      result.moments.push_back(buffer);
    }
    result.parameter = t.sub(old.parameter, t.mul(spread(Lr), g));
    return result;
  }

private:
  AttachOptimizerPassOptions options;
};

/// torch.optim.Adam and AdamW. With m and v the moments, n the number of this
/// update, and biases c1 = 1 - beta1^n, c2 = 1 - beta2^n:
///
///   corrected:    p -= lr / c1 * m / (sqrt(v) / sqrt(c2) + eps)
///   uncorrected:  p -= lr * sqrt(c2) / c1 * m / (sqrt(v) + eps)
///
/// The second is the form of Hugging Face and ONNX Runtime. Decay is the same
/// in both: AdamW shrinks the parameter before the step.
class Adam : public Optimizer {
public:
  explicit Adam(const AttachOptimizerPassOptions &options)
      : options(options), isDecoupled(options.optimizer == "adamw"),
        isCorrected(options.adamEpsilon == "corrected") {}

  SmallVector<StringRef, 2> getMoments() const override {
    return {names::expAvgSuffix, names::expAvgSqSuffix};
  }

  void declareSettings(StateDeclarer &states) const override {
    states.addSetting(names::beta1, options.beta1, "decay of the first moment");
    states.addSetting(names::beta2, options.beta2,
                      "decay of the second moment");
    states.addSetting(names::eps, options.eps,
                      "term that keeps the denominator from zero");
    states.addSetting(names::weightDecay, options.weightDecay, "weight decay");
  }

  SmallVector<Value> buildScalars(TensorBuilder &t, Value lr, Value beta1,
                                  Value count) const override {
    Value one = t.constant(1.0);
    if (!beta1)
      beta1 = t.read(names::beta1);
    Value beta2 = t.read(names::beta2);
    Value decay = t.read(names::weightDecay);
    Value bias1 = t.sub(one, t.pow(beta1, count));
    Value root2 = t.sqrt(t.sub(one, t.pow(beta2, count)));
    Value stepSize =
        isCorrected ? t.div(lr, bias1) : t.div(t.mul(lr, root2), bias1);
    SmallVector<Value> scalars = {stepSize,
                                  t.sub(one, beta1),
                                  beta2,
                                  t.sub(one, beta2),
                                  t.read(names::eps),
                                  isDecoupled ? t.sub(one, t.mul(lr, decay))
                                              : decay};
    if (isCorrected)
      scalars.push_back(root2);
    return scalars;
  }

  ParameterState apply(TensorBuilder &t, const ParameterState &old, Value g,
                       bool decays,
                       function_ref<Value(unsigned)> spread) const override {
    enum { StepSize, OneMinusBeta1, Beta2, OneMinusBeta2, Eps, Decay, Root2 };
    Value p = old.parameter, m = old.moments[0], v = old.moments[1];
    if (decays && isDecoupled)
      p = t.mul(p, spread(Decay));
    else if (decays)
      g = t.add(g, t.mul(spread(Decay), p));
    m = t.add(m, t.mul(spread(OneMinusBeta1), t.sub(g, m)));
    v = t.add(t.mul(spread(Beta2), v),
              t.mul(spread(OneMinusBeta2), t.mul(g, g)));
    Value root = t.sqrt(v);
    if (isCorrected)
      root = t.div(root, spread(Root2));
    Value denominator = t.add(root, spread(Eps));
    p = t.sub(p, t.mul(spread(StepSize), t.div(m, denominator)));
    return {p, {m, v}};
  }

private:
  AttachOptimizerPassOptions options;
  bool isDecoupled;
  bool isCorrected;
};

} // namespace

FailureOr<std::unique_ptr<Optimizer>>
Optimizer::create(const AttachOptimizerPassOptions &options, Location loc) {
  StringRef kind = options.optimizer;
  bool isAdam = kind == "adam" || kind == "adamw";
  if (kind != "sgd" && !isAdam)
    return emitError(loc, "unknown optimizer '")
           << kind << "'; expects sgd, adam or adamw";
  if (options.adamEpsilon != "corrected" &&
      options.adamEpsilon != "uncorrected")
    return emitError(loc, "unknown placement of Adam's epsilon '")
           << options.adamEpsilon << "'; expects corrected or uncorrected";
  if (!isAdam && options.adamEpsilon != "corrected")
    return emitError(loc, "adam-epsilon needs optimizer adam or adamw, not ")
           << kind;
  if (isAdam && (options.useMomentum || options.nesterov))
    return emitError(loc, "momentum needs optimizer sgd, not ") << kind;
  if (!isAdam && options.cycleMomentum)
    return emitError(loc, "cycle-momentum needs optimizer adam or adamw, not ")
           << kind;
  if (options.nesterov && !options.useMomentum)
    return emitError(loc, "nesterov needs momentum");

  std::unique_ptr<Optimizer> optimizer;
  if (isAdam)
    optimizer = std::make_unique<Adam>(options);
  else
    optimizer = std::make_unique<Sgd>(options);
  return optimizer;
}
