#include "passes/differentiate/LearningRate.h"

#include "passes/differentiate/Names.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace dsc;
using nn::ComparePredicate;

FailureOr<LearningRate>
LearningRate::create(const AttachOptimizerPassOptions &options, Location loc) {
  auto kind = llvm::StringSwitch<std::optional<Kind>>(options.lrSchedule)
                  .Case("constant", Kind::Constant)
                  .Case("linear", Kind::Linear)
                  .Case("cosine", Kind::Cosine)
                  .Case("WarmupLR", Kind::WarmupLR)
                  .Case("WarmupDecayLR", Kind::WarmupDecayLR)
                  .Case("WarmupCosineLR", Kind::WarmupCosineLR)
                  .Default(std::nullopt);
  if (!kind)
    return emitError(loc, "unknown learning-rate schedule '")
           << options.lrSchedule
           << "'; expects constant, linear, cosine, WarmupLR, WarmupDecayLR or "
              "WarmupCosineLR";
  if (options.warmupType != "log" && options.warmupType != "linear")
    return emitError(loc, "unknown warm-up type '")
           << options.warmupType << "'; expects log or linear";
  return LearningRate(*kind, options);
}

void LearningRate::declareSettings(StateDeclarer &states) const {
  states.addSetting(names::lr, options.lr, "learning rate");
  states.addSetting(names::warmupSteps, options.warmupSteps,
                    "updates over which the learning rate rises");
  if (kind != Kind::Constant && kind != Kind::WarmupLR)
    states.addSetting(names::totalSteps, options.totalSteps,
                      "updates until the learning rate is at its lowest");
  if (kind != Kind::Constant && kind != Kind::WarmupCosineLR)
    states.addSetting(names::minLr, options.minLr, "lowest learning rate");
  if (kind == Kind::WarmupCosineLR) {
    states.addSetting(names::warmupMinRatio, options.warmupMinRatio,
                      "part of the learning rate that warm-up starts from");
    states.addSetting(names::cosineMinRatio, options.cosineMinRatio,
                      "part of the learning rate that is left in the end");
  }
}

Value LearningRate::build(TensorBuilder &t, Value applied) const {
  bool isDeepSpeed = kind == Kind::WarmupLR || kind == Kind::WarmupDecayLR ||
                     kind == Kind::WarmupCosineLR;
  return isDeepSpeed ? buildDeepSpeed(t, applied)
                     : buildTransformers(t, applied);
}

/// (1 + cos(pi * progress)) / 2: from 1 to 0 while progress goes from 0 to 1.
static Value buildCosine(TensorBuilder &t, Value progress) {
  Value one = t.constant(1.0);
  Value angle = t.mul(t.constant(llvm::numbers::pi), t.min(one, progress));
  return t.mul(t.constant(0.5), t.add(one, t.cos(angle)));
}

/// get_{constant,linear,cosine}_schedule_with_warmup of Hugging Face
/// transformers (optimization.py), with a floor m = `dsc.min_lr`:
///
///   u < w:     lr * u / max(1, w)
///   constant:  lr
///   linear:    m + (lr - m) * max(0, (T - u) / max(1, T - w))
///   cosine:    m + (lr - m) * (1 + cos(pi * min(1, (u - w) / max(1, T - w))))
///   / 2
///
/// The original cosine rises again after T; here it stays at the floor.
Value LearningRate::buildTransformers(TensorBuilder &t, Value u) const {
  Value one = t.constant(1.0);
  Value lr = t.read(names::lr);
  Value w = t.read(names::warmupSteps);
  Value warmingUp = t.compare(ComparePredicate::lt, u, w);
  Value warmup = t.mul(lr, t.div(u, t.max(one, w)));
  if (kind == Kind::Constant)
    return t.select(warmingUp, warmup, lr);

  Value total = t.read(names::totalSteps);
  Value floor = t.read(names::minLr);
  Value length = t.max(one, t.sub(total, w));
  Value decay = kind == Kind::Linear
                    ? t.max(t.constant(0.0), t.div(t.sub(total, u), length))
                    : buildCosine(t, t.div(t.sub(u, w), length));
  Value decayed = t.add(floor, t.mul(t.sub(lr, floor), decay));
  return t.select(warmingUp, warmup, decayed);
}

/// WarmupLR, WarmupDecayLR and WarmupCosineLR of DeepSpeed
/// (deepspeed/runtime/lr_schedules.py). With k = max(2, w), m = `dsc.min_lr`,
/// rise = ln(t + 1) / ln(k), or t / k for the linear warm-up:
///
///   WarmupLR:       m + (lr - m) * (t < k ? rise : 1)
///   WarmupDecayLR:  m + (lr - m) * (t < k ? rise
///                                         : max(0, (T - t) / max(1, T - k)))
///   WarmupCosineLR: lr * (t < k ? r + (1 - r) * rise
///                               : max(0, c + (1 - c) * (1 + cos(pi * p)) / 2))
///                   p = min(1, (t - k + 1) / max(1, T - k)),
///                   r = `dsc.warmup_min_ratio`, c = `dsc.cosine_min_ratio`
///
/// DeepSpeed steps the scheduler after the optimizer, so update u runs with
/// t = u - 1, and the first one with m (WarmupCosineLR: with 0).
Value LearningRate::buildDeepSpeed(TensorBuilder &t, Value u) const {
  Value zero = t.constant(0.0), one = t.constant(1.0);
  Value lr = t.read(names::lr);
  Value k = t.max(t.constant(2.0), t.read(names::warmupSteps));
  // For t = -1 the rise is that for t = 0, which is none.
  Value index = t.max(zero, t.sub(u, one));
  Value warmingUp = t.compare(ComparePredicate::lt, index, k);
  Value rise = options.warmupType == "linear"
                   ? t.div(index, k)
                   : t.div(t.log(t.add(index, one)), t.log(k));

  if (kind == Kind::WarmupCosineLR) {
    Value start = t.read(names::warmupMinRatio);
    Value end = t.read(names::cosineMinRatio);
    Value length = t.max(one, t.sub(t.read(names::totalSteps), k));
    Value progress = t.div(t.add(t.sub(index, k), one), length);
    Value warmup = t.add(start, t.mul(t.sub(one, start), rise));
    Value decay = t.add(end, t.mul(t.sub(one, end), buildCosine(t, progress)));
    Value ratio = t.select(warmingUp, warmup, t.max(zero, decay));
    Value isFirst = t.compare(ComparePredicate::eq, u, zero);
    return t.mul(lr, t.select(isFirst, zero, ratio));
  }

  Value after = one;
  if (kind == Kind::WarmupDecayLR) {
    Value total = t.read(names::totalSteps);
    after =
        t.max(zero, t.div(t.sub(total, index), t.max(one, t.sub(total, k))));
  }
  Value floor = t.read(names::minLr);
  return t.add(floor,
               t.mul(t.sub(lr, floor), t.select(warmingUp, rise, after)));
}
