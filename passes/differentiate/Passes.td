#ifndef DSC_PASSES_DIFFERENTIATE_PASSES_TD
#define DSC_PASSES_DIFFERENTIATE_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttachLossPass : Pass<"differentiate-attach-loss", "::mlir::ModuleOp"> {
  let summary = "Add the loss, as a pair of sum and weight, to @forward";
  let description = [{
    Expects the normal form: `func.func @forward` with static shapes.

    Appends the loss to the results of `@forward` as a pair: the sum of the
    losses of all samples and the weight to divide it by. Inputs get a
    `dsc.role`; a label or target that is not an input yet becomes one. A loss
    that this pass writes is weighted by a further input `dsc.sample_weight`,
    one number a sample, so that a short batch can be padded by samples of
    weight 0.

    A loss that the model itself computes is a pair when it is a quotient whose
    denominator depends on no trained parameter (a mean); else it counts 1 a
    micro-batch, and a remark says so.

    Before, with `loss=cross_entropy(logits,labels)`:
    ```mlir
    func.func @forward(%x: tensor<64x784xf32> {dsc.name = "x"})
        -> (tensor<64x10xf32> {dsc.name = "logits"})
    ```
    After:
    ```mlir
    func.func @forward(
        %x: tensor<64x784xf32> {dsc.name = "x", dsc.role = "data"},
        %labels: tensor<64xi64> {dsc.classes = 10 : i64,
            dsc.ignore_index = -100 : i64, dsc.name = "labels", dsc.role = "labels"},
        %weight: tensor<64xf32> {dsc.name = "dsc.sample_weight", dsc.role = "sample_weight"})
        -> (tensor<64x10xf32> {dsc.name = "logits"},
            tensor<f32> {dsc.role = "loss_sum"},
            tensor<f32> {dsc.nominal = 64.0 : f64, dsc.role = "loss_weight"},
            tensor<f64> {dsc.role = "correct"})
    ```
  }];
  let dependentDialects = ["::dsc::nn::NnDialect"];
  let options = [
    Option<"loss", "loss", "std::string", "\"\"",
           "Output to minimise, or cross_entropy(OUT,LABELS[,ignore=N]), "
           "mse(OUT,TARGET), bce_with_logits(OUT,TARGET), sum(OUT); default: "
           "the only float output with one element">
  ];
}

def BuildBackwardPass
    : Pass<"differentiate-build-backward", "::mlir::ModuleOp"> {
  let summary = "Make the step entries: forward, backward, gradients";
  let description = [{
    Expects `@forward` with a loss pair, as differentiate-attach-loss leaves it.

    Adds the entries `@step` and `@step_last`: what the loss needs of
    `@forward`, then reverse mode through `DifferentiableOpInterface`, seeded
    with 1 / `dsc.nominal_weight`. Operations are visited from the last to the
    first; contributions to one gradient are added in the order in which they
    arise, and the gradient of a parameter is emitted as soon as it is complete.
    Every trained parameter gets a state `<parameter>.grad`.

    Guarantees that each trainable parameter has exactly one `train.gradient` in
    both entries: a parameter that no gradient reaches becomes frozen, with a
    remark. Operations without a gradient on a path from a trained parameter to
    the loss are reported together, in one error.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect", "::dsc::train::TrainDialect"];
}

def AttachOptimizerPass
    : Pass<"differentiate-attach-optimizer", "::mlir::ModuleOp"> {
  let summary = "Make the update entry: unscale, clip, optimizer, schedule";
  let description = [{
    Expects the `@step` entries and gradient states.

    Adds the entry `@update` with optimizer state, settings, counters and
    reports. Scalars are computed in f64. Each parameter is updated by
    elementwise operations on tensors of its own shape, so that fusion can make
    them one kernel and partition can cut them into shards; scalars are
    converted to the parameter's type once and broadcast for each parameter.

    The update does not branch: when the gradient norm or the loss is not
    finite, every parameter, moment and count keeps its old value by selection,
    and `dsc.report.skipped` grows by one. Gradients and sums are always reset.

    Optimizers follow PyTorch: `adam` adds the decay to the gradient, `adamw`
    decays the parameter before the step. `adam-epsilon=uncorrected` adds eps to
    the root of the uncorrected second moment and puts both bias corrections
    into the step size (Hugging Face, ONNX Runtime).
  }];
  let dependentDialects = ["::dsc::nn::NnDialect", "::dsc::train::TrainDialect"];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"adamw\"",
           "sgd, adam or adamw; default adamw">,
    Option<"useMomentum", "use-momentum", "bool", "false",
           "sgd keeps a momentum buffer; default off">,
    Option<"nesterov", "nesterov", "bool", "false",
           "sgd looks ahead along the momentum; needs use-momentum; default off">,
    Option<"adamEpsilon", "adam-epsilon", "std::string", "\"corrected\"",
           "corrected (PyTorch) or uncorrected; default corrected">,
    Option<"noDecay", "no-decay", "std::string", "\"\"",
           "regular expression; parameters whose name it matches anywhere are "
           "not decayed; default none">,
    Option<"clipNorm", "clip-norm", "bool", "false",
           "clip the global L2 norm of the gradients; default off">,
    Option<"lrSchedule", "lr-schedule", "std::string", "\"constant\"",
           "constant, linear, cosine, WarmupLR, WarmupDecayLR or "
           "WarmupCosineLR; default constant">,
    Option<"warmupType", "warmup-type", "std::string", "\"log\"",
           "log or linear: shape of the warm-up of the Warmup schedules; "
           "default log">,
    Option<"lr", "lr", "double", "1.0e-3", "default of dsc.lr">,
    Option<"beta1", "beta1", "double", "0.9", "default of dsc.beta1">,
    Option<"beta2", "beta2", "double", "0.999", "default of dsc.beta2">,
    Option<"eps", "eps", "double", "1.0e-8", "default of dsc.eps">,
    Option<"weightDecay", "weight-decay", "double", "0.0",
           "default of dsc.weight_decay">,
    Option<"momentum", "momentum", "double", "0.0", "default of dsc.momentum">,
    Option<"maxNorm", "max-norm", "double", "1.0", "default of dsc.clip_norm">,
    Option<"warmupSteps", "warmup-steps", "double", "0.0",
           "default of dsc.warmup_steps, in updates">,
    Option<"totalSteps", "total-steps", "double", "1000.0",
           "default of dsc.total_steps, in updates">,
    Option<"minLr", "min-lr", "double", "0.0", "default of dsc.min_lr">,
    Option<"warmupMinRatio", "warmup-min-ratio", "double", "0.0",
           "default of dsc.warmup_min_ratio">,
    Option<"cosineMinRatio", "cosine-min-ratio", "double", "1.0e-4",
           "default of dsc.cosine_min_ratio">
  ];
}

def BuildEvalPass : Pass<"differentiate-build-eval", "::mlir::ModuleOp"> {
  let summary = "Turn @forward into the eval entry";
  let description = [{
    Expects `@forward` with a loss pair, as differentiate-attach-loss leaves it.

    Replaces `@forward` by the entry `@eval`, which adds the loss pair, and for
    losses over classes the number of correct answers, to accumulators of their
    own and returns the model's outputs.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect", "::dsc::train::TrainDialect"];
}

def VerifyDifferentiatedPass : Pass<"differentiate-verify", "::mlir::ModuleOp"> {
  let summary = "Check the exit form of the differentiate stage";
  let description = [{
    Properties, by the label that the negative tests carry:

    - (D1) all code is in `train.entry`: exactly `step`, `step_last`, `update`
      and `eval`, each of its kind;
    - (D2) `step`, `step_last` and `eval` have the same inputs, with unique
      names and known roles;
    - (D3) entries hold `nn` and `train` operations with static shapes only;
    - (D4) each trainable parameter has one gradient state, and exactly one
      `train.gradient` in each step; a parameter that is not trained has no
      gradient and no moment;
    - (D5) each step adds once to `dsc.loss_sum` and `dsc.loss_weight`;
    - (D6) update writes each trainable parameter, moment, gradient, counter,
      loss accumulator and report exactly once;
    - (D7) update reads no symbol after writing it, and accumulates into none.
  }];
}

#endif // DSC_PASSES_DIFFERENTIATE_PASSES_TD
