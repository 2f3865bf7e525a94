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
                  .Case("OneCycle", Kind::OneCycle)
                  .Case("LRRangeTest", Kind::LRRangeTest)
                  .Default(std::nullopt);
  if (!kind)
    return emitError(loc, "unknown learning-rate schedule '")
           << options.lrSchedule
           << "'; expects constant, linear, cosine, WarmupLR, WarmupDecayLR, "
              "WarmupCosineLR, OneCycle or LRRangeTest";
  if (options.warmupType != "log" && options.warmupType != "linear")
    return emitError(loc, "unknown warm-up type '")
           << options.warmupType << "'; expects log or linear";
  if (options.cycleMomentum && *kind != Kind::OneCycle)
    return emitError(loc, "cycle-momentum needs lr-schedule OneCycle");
  if (options.rangeStaircase && *kind != Kind::LRRangeTest)
    return emitError(loc, "range-staircase needs lr-schedule LRRangeTest");
  return LearningRate(*kind, options);
}

static void declareCycle(StateDeclarer &states,
                         const AttachOptimizerPassOptions &options) {
  states.addSetting(names::minLr, options.minLr,
                    "learning rate at the ends of the cycle");
  states.addSetting(names::cycleUpSteps, options.cycleUpSteps,
                    "updates in which the learning rate rises");
  states.addSetting(names::cycleDownSteps, options.cycleDownSteps,
                    "updates in which it falls again");
  states.addSetting(names::cycleUpStairs, options.cycleUpStairs,
                    "steps in which it rises, 0 for a straight line");
  states.addSetting(names::cycleDownStairs, options.cycleDownStairs,
                    "steps in which it falls, 0 for a straight line");
  states.addSetting(names::cycleDecaySteps, options.cycleDecaySteps,
                    "updates of one decay after the cycle, 0 for none");
  states.addSetting(names::cycleLrDecay, options.cycleLrDecay,
                    "by how much one decay divides the rate, less 1");
  if (!options.cycleMomentum)
    return;
  states.addSetting(names::cycleMinBeta1, options.cycleMinBeta1,
                    "first beta at the peak of the cycle");
  states.addSetting(names::cycleMaxBeta1, options.cycleMaxBeta1,
                    "first beta at the ends of the cycle");
  states.addSetting(names::cycleBeta1Decay, options.cycleBeta1Decay,
                    "by how much one decay multiplies the beta, less 1");
}

void LearningRate::declareSettings(StateDeclarer &states) const {
  states.addSetting(names::lr, options.lr, "learning rate");
  if (kind == Kind::OneCycle)
    return declareCycle(states, options);
  if (kind == Kind::LRRangeTest) {
    states.addSetting(names::rangeSteps, options.rangeSteps,
                      "updates of one interval");
    states.addSetting(names::rangeRate, options.rangeRate,
                      "part of the first rate that an interval adds");
    return;
  }
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
  switch (kind) {
  case Kind::Constant:
  case Kind::Linear:
  case Kind::Cosine:
    return buildTransformers(t, applied);
  case Kind::WarmupLR:
  case Kind::WarmupDecayLR:
  case Kind::WarmupCosineLR:
    return buildDeepSpeed(t, applied);
  case Kind::OneCycle:
    return buildOneCycle(t, applied);
  case Kind::LRRangeTest:
    return buildRangeTest(t, applied);
  }
  llvm_unreachable("a switch over all kinds");
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

//===----------------------------------------------------------------------===//
// OneCycle and LRRangeTest of DeepSpeed (deepspeed/runtime/lr_schedules.py).
// Their scheduler counts from -1, so that update u is their iteration u.
//===----------------------------------------------------------------------===//

/// The whole part of a number from 0 on.
static Value buildFloor(TensorBuilder &t, Value number) {
  return t.cast(t.cast(number, t.builder.getI64Type()), t.builder.getF64Type());
}

namespace {

/// Where an update lies in OneCycle.
struct CyclePlace {
  Value isInCycle; ///< Or behind it.
  Value height;    ///< 0 at the ends of the cycle, 1 at its peak.
  Value decays;    ///< Number of decays since the end, in parts too.

  CyclePlace(TensorBuilder &t, Value u);
};

} // namespace

/// i / n, or in s > 0 stairs floor(i * s / n) / s.
static Value buildStairs(TensorBuilder &t, Value i, Value n, Value stairs) {
  Value one = t.constant(1.0);
  Value number = buildFloor(t, t.div(t.mul(i, stairs), n));
  Value hasStairs = t.compare(ComparePredicate::gt, stairs, t.constant(0.0));
  return t.select(hasStairs, t.div(number, t.max(one, stairs)), t.div(i, n));
}

CyclePlace::CyclePlace(TensorBuilder &t, Value u) {
  Value zero = t.constant(0.0), one = t.constant(1.0);
  Value up = t.max(one, t.read(names::cycleUpSteps));
  Value down = t.read(names::cycleDownSteps);
  Value total = t.add(up, down);
  isInCycle = t.compare(ComparePredicate::le, u, total);
  Value rise = buildStairs(t, u, up, t.read(names::cycleUpStairs));
  Value fall = buildStairs(t, t.max(zero, t.sub(total, u)), t.max(one, down),
                           t.read(names::cycleDownStairs));
  height = t.select(t.compare(ComparePredicate::le, u, up), rise, fall);
  Value length = t.read(names::cycleDecaySteps);
  Value decayed = t.div(t.max(zero, t.sub(u, total)), t.max(one, length));
  decays =
      t.select(t.compare(ComparePredicate::gt, length, zero), decayed, zero);
}

/// With m = `dsc.min_lr`, h the height and d the decays of this update:
///
///   u <= up + down:  m + (lr - m) * h
///   behind:          m / (1 + lr_decay * d)
Value LearningRate::buildOneCycle(TensorBuilder &t, Value u) const {
  CyclePlace place(t, u);
  Value low = t.read(names::minLr);
  Value inCycle =
      t.add(low, t.mul(t.sub(t.read(names::lr), low), place.height));
  Value factor =
      t.add(t.constant(1.0), t.mul(t.read(names::cycleLrDecay), place.decays));
  return t.select(place.isInCycle, inCycle, t.div(low, factor));
}

/// With n and x the least and the largest beta:
///
///   u = 0:           n
///   u <= up + down:  x - (x - n) * h
///   behind:          x * (1 + beta1_decay * d)
Value LearningRate::buildBeta1(TensorBuilder &t, Value u) const {
  if (!options.cycleMomentum)
    return nullptr;
  CyclePlace place(t, u);
  Value low = t.read(names::cycleMinBeta1), high = t.read(names::cycleMaxBeta1);
  Value inCycle = t.sub(high, t.mul(t.sub(high, low), place.height));
  Value factor = t.add(t.constant(1.0),
                       t.mul(t.read(names::cycleBeta1Decay), place.decays));
  Value later = t.select(place.isInCycle, inCycle, t.mul(high, factor));
  Value isFirst = t.compare(ComparePredicate::eq, u, t.constant(0.0));
  return t.select(isFirst, low, later);
}

///   lr * (1 + rate * u / steps), or the whole part of u / steps
Value LearningRate::buildRangeTest(TensorBuilder &t, Value u) const {
  Value one = t.constant(1.0);
  Value intervals = t.div(u, t.max(one, t.read(names::rangeSteps)));
  if (options.rangeStaircase)
    intervals = buildFloor(t, intervals);
  Value raise = t.mul(t.read(names::rangeRate), intervals);
  return t.mul(t.read(names::lr), t.add(one, raise));
}
