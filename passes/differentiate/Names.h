/// Names that the entries of a training program share: symbols, roles and the
/// attributes of inputs and results. The runtime finds state by these symbols.

#ifndef DSC_PASSES_DIFFERENTIATE_NAMES_H
#define DSC_PASSES_DIFFERENTIATE_NAMES_H

#include "passes/analysis/TrainingStep.h"

namespace dsc::names {

// The function that the stage consumes, and the entries that it makes.
/// Also the name of the entry without a loss, which takes its place.
inline constexpr char forward[] = "forward";
inline constexpr char step[] = "step";
inline constexpr char stepLast[] = "step_last";
inline constexpr char update[] = "update";
inline constexpr char eval[] = "eval";
inline constexpr char layerNorms[] = "layer_norms";
inline constexpr char stepDebug[] = "step.debug";
inline constexpr char updateDebug[] = "update.debug";

// Accumulators.
inline constexpr char lossSum[] = "dsc.loss_sum";
inline constexpr const char *lossWeight = kLossWeight;
inline constexpr char evalLossSum[] = "dsc.eval_loss_sum";
inline constexpr char evalWeight[] = "dsc.eval_weight";
inline constexpr char evalCorrect[] = "dsc.eval_correct";

// Settings, counters and reports.
inline constexpr char nominalWeight[] = "dsc.nominal_weight";
inline constexpr char lr[] = "dsc.lr";
inline constexpr char beta1[] = "dsc.beta1";
inline constexpr char beta2[] = "dsc.beta2";
inline constexpr char eps[] = "dsc.eps";
inline constexpr char weightDecay[] = "dsc.weight_decay";
inline constexpr char momentum[] = "dsc.momentum";
inline constexpr char clipNorm[] = "dsc.clip_norm";
inline constexpr char warmupSteps[] = "dsc.warmup_steps";
inline constexpr char totalSteps[] = "dsc.total_steps";
inline constexpr char minLr[] = "dsc.min_lr";
inline constexpr char warmupMinRatio[] = "dsc.warmup_min_ratio";
inline constexpr char cosineMinRatio[] = "dsc.cosine_min_ratio";
inline constexpr char cycleUpSteps[] = "dsc.cycle_up_steps";
inline constexpr char cycleDownSteps[] = "dsc.cycle_down_steps";
inline constexpr char cycleUpStairs[] = "dsc.cycle_up_stairs";
inline constexpr char cycleDownStairs[] = "dsc.cycle_down_stairs";
inline constexpr char cycleDecaySteps[] = "dsc.cycle_decay_steps";
inline constexpr char cycleLrDecay[] = "dsc.cycle_lr_decay";
inline constexpr char cycleMinBeta1[] = "dsc.cycle_min_beta1";
inline constexpr char cycleMaxBeta1[] = "dsc.cycle_max_beta1";
inline constexpr char cycleBeta1Decay[] = "dsc.cycle_beta1_decay";
inline constexpr char rangeSteps[] = "dsc.range_steps";
inline constexpr char rangeRate[] = "dsc.range_rate";
inline constexpr char appliedSteps[] = "dsc.applied_steps";
inline constexpr char reportLoss[] = "dsc.report.loss";
inline constexpr char reportLr[] = "dsc.report.lr";
inline constexpr char reportGradNorm[] = "dsc.report.grad_norm";
inline constexpr char reportWeight[] = "dsc.report.weight";
inline constexpr char reportSkipped[] = "dsc.report.skipped";

// States of random operations, which import declares where a model has some.
inline constexpr char microBatch[] = "dsc.micro_batch";

// Suffixes of the states of one parameter; the moments are PyTorch's names.
inline constexpr char gradSuffix[] = ".grad";
inline constexpr char momentumSuffix[] = ".momentum_buffer";
inline constexpr char expAvgSuffix[] = ".exp_avg";
inline constexpr char expAvgSqSuffix[] = ".exp_avg_sq";

// Attributes of inputs and results.
inline constexpr char nameAttr[] = "dsc.name";
inline constexpr char roleAttr[] = "dsc.role";
inline constexpr char classesAttr[] = "dsc.classes";
inline constexpr char ignoreIndexAttr[] = "dsc.ignore_index";
/// On labels: a position is held against the label that many behind it.
inline constexpr char shiftAttr[] = "dsc.shift";
/// Rows of the smallest table that the input's elements index.
inline constexpr char indexLimitAttr[] = "dsc.index_limit";
/// Weight of one full micro-batch, on the result `loss_weight`.
inline constexpr char nominalAttr[] = "dsc.nominal";

/// On results of `layer_norms`: the layer, and what the number is the norm of.
inline constexpr char layerAttr[] = "dsc.layer";
inline constexpr char normOfAttr[] = "dsc.norm_of";
inline constexpr char normOfGradient[] = "gradient";
inline constexpr char normOfWeight[] = "weight";

/// On results of debug entries, which are summaries of a value: what it is of,
/// by the keys below.
inline constexpr char checkAttr[] = "dsc.check";
/// `input`, `parameter` or `operation`; of states `moment`, `parameter` or
/// `gradient`.
inline constexpr char checkKind[] = "kind";
inline constexpr char checkDirection[] = "direction"; ///< forward, backward.
inline constexpr char checkPlace[] = "place";         ///< Of the model.
inline constexpr char checkOp[] = "op";
/// Of an input or parameter, as the user calls it.
inline constexpr char checkName[] = "name";
inline constexpr char checkState[] = "state"; ///< Symbol of a state.
inline constexpr char checkShape[] = "shape";
/// For each operand of the operation the result that is its summary, or -1.
inline constexpr char checkInputs[] = "inputs";
/// Set where infinities may be what the model means. The result before tells
/// of NaN in the same value and is the first of `inputs`.
inline constexpr char checkMeant[] = "meant";
/// Set where the value goes into the loss or the gradient of a parameter.
inline constexpr char checkLeaves[] = "leaves";

// Roles of inputs.
inline constexpr char dataRole[] = "data";
inline constexpr char labelsRole[] = "labels";
inline constexpr char targetRole[] = "target";
inline constexpr char sampleWeightRole[] = "sample_weight";
/// Name of the input that weights samples.
inline constexpr char sampleWeightInput[] = "dsc.sample_weight";

// Roles of the results that differentiate-attach-loss appends to @forward.
inline constexpr char lossSumRole[] = "loss_sum";
inline constexpr char lossWeightRole[] = "loss_weight";
inline constexpr char correctRole[] = "correct";

} // namespace dsc::names

#endif // DSC_PASSES_DIFFERENTIATE_NAMES_H
