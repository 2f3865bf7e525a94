#ifndef DSC_PASSES_DIFFERENTIATE_PASSES_TD
#define DSC_PASSES_DIFFERENTIATE_PASSES_TD

include "mlir/Pass/PassBase.td"

def LimitIndicesPass
    : Pass<"differentiate-limit-indices", "::mlir::ModuleOp"> {
  let summary = "Tell which range the elements of inputs must be in";
  let description = [{
    Expects the normal form: `func.func @forward` with static shapes.

    An integer input whose elements index a table, directly or after operations
    that only move or convert them, gets `dsc.index_limit`: the number of rows,
    or of the smallest table if there are several. The runtime refuses data
    that leaves the range, before it becomes a NaN somewhere behind the table.
    An input of which the model indexes with a part only gets no limit, since
    the other elements may mean something else; neither does one that the model
    compares with a number out of range, such as a label that is ignored, since
    then the model deals with it itself.

    Before:
    ```mlir
    func.func @forward(%ids: tensor<2x8xi64> {dsc.name = "ids"}) -> (tensor<2x8x4xf32> {dsc.name = "y"}) {
      %table = train.read @table : tensor<50x4xf32>
      %0 = nn.gather %table, %ids dim = 0 : (tensor<50x4xf32>, tensor<2x8xi64>) -> tensor<2x8x4xf32>
    ```
    After, the input is
    ```mlir
    %ids: tensor<2x8xi64> {dsc.index_limit = 50 : i64, dsc.name = "ids"}
    ```
  }];
}

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
           "Output to minimise, or "
           "cross_entropy(OUT,LABELS[,ignore=N][,shift=1]), "
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
    arise. Each contribution to the gradient of a parameter leaves at once by a
    `train.gradient`, so that whole accumulators take it then: a tied table of a
    language model has one at the start of backward and one at its end. Every trained parameter gets a state `<parameter>.grad`. If the model
    has a state `dsc.micro_batch`, on which random numbers depend, each step
    adds 1 to it at its end.

    Guarantees that each trainable parameter has a `train.gradient` in both
    entries: a parameter that no gradient reaches becomes frozen, with a
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
           "constant, linear, cosine, WarmupLR, WarmupDecayLR, WarmupCosineLR, "
           "OneCycle or LRRangeTest; default constant">,
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
           "default of dsc.cosine_min_ratio">,
    Option<"cycleMomentum", "cycle-momentum", "bool", "false",
           "OneCycle moves Adam's first beta against the rate; default off">,
    Option<"rangeStaircase", "range-staircase", "bool", "false",
           "LRRangeTest raises the rate once an interval; default off">,
    Option<"cycleUpSteps", "cycle-up-steps", "double", "2000.0",
           "default of dsc.cycle_up_steps, in updates">,
    Option<"cycleDownSteps", "cycle-down-steps", "double", "2000.0",
           "default of dsc.cycle_down_steps, in updates">,
    Option<"cycleUpStairs", "cycle-up-stairs", "double", "0.0",
           "default of dsc.cycle_up_stairs">,
    Option<"cycleDownStairs", "cycle-down-stairs", "double", "0.0",
           "default of dsc.cycle_down_stairs">,
    Option<"cycleDecaySteps", "cycle-decay-steps", "double", "0.0",
           "default of dsc.cycle_decay_steps, in updates">,
    Option<"cycleLrDecay", "cycle-lr-decay", "double", "0.0",
           "default of dsc.cycle_lr_decay">,
    Option<"cycleMinBeta1", "cycle-min-beta1", "double", "0.8",
           "default of dsc.cycle_min_beta1">,
    Option<"cycleMaxBeta1", "cycle-max-beta1", "double", "0.9",
           "default of dsc.cycle_max_beta1">,
    Option<"cycleBeta1Decay", "cycle-beta1-decay", "double", "0.0",
           "default of dsc.cycle_beta1_decay">,
    Option<"rangeSteps", "range-steps", "double", "2000.0",
           "default of dsc.range_steps, in updates">,
    Option<"rangeRate", "range-rate", "double", "1.0",
           "default of dsc.range_rate">
  ];
}

def BuildLayerNormsPass
    : Pass<"differentiate-build-layer-norms", "::mlir::ModuleOp"> {
  let summary = "Make the entry that computes the norms of each layer";
  let description = [{
    Expects the `@step` entries and gradient states.

    Adds the entry `@layer_norms`, which runs between the last step of an update
    and `@update` and changes nothing. For each layer (the longest prefix of a
    parameter's name that ends in a number, else the parameter alone) with
    trained parameters it returns two scalars in f64: the L2 norm of the mean
    gradient before clipping, scaled as `@update` does, and that of the
    weights. The squares of all layers' gradient norms add up to that of
    `dsc.report.grad_norm`.

    A result says which norm it is: `dsc.layer`, the layer's name, and
    `dsc.norm_of`, `gradient` or `weight`.

    ```mlir
    train.entry @layer_norms() -> (
        tensor<f64> {dsc.layer = "fc1", dsc.name = "fc1.gradient_norm", dsc.norm_of = "gradient"},
        tensor<f64> {dsc.layer = "fc1", dsc.name = "fc1.weight_norm", dsc.norm_of = "weight"}) kind(layer_norms)
    ```
  }];
  let dependentDialects = ["::dsc::nn::NnDialect", "::dsc::train::TrainDialect"];
}

def BuildDebugPass : Pass<"differentiate-build-debug", "::mlir::ModuleOp"> {
  let summary = "Make the entries that find out where a number stops being finite";
  let description = [{
    Expects the entries `@step_last` and `@update` with their states.

    Adds two entries, which change nothing and return one summary
    (`nn.summarize`) a value, in program order:

    - `@step.debug`, of kind `debug`: the operations of `@step_last` without its
      gradients and sums, with a summary of each input, each parameter where it
      is read, and each result of an operation that computes. A value that is
      another one in another shape has the summary of that one. Fusion leaves
      the entry apart, so that each operation has its own result.
    - `@update.debug`, of kind `debug_update`: summaries of all moments, then of
      all trained parameters, then of all accumulated gradients.

    The attribute `dsc.check` of a result says what it is of. Infinities that a
    model means are no mistake: what elementwise operations and views make from
    an infinite constant or from a buffer has two summaries, one of NaN and one,
    marked `meant`, of all that is not finite.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect", "::dsc::train::TrainDialect"];
}

def BuildEvalPass : Pass<"differentiate-build-eval", "::mlir::ModuleOp"> {
  let summary = "Make the eval entry: outputs and sums over the loss";
  let description = [{
    Expects `@forward` with a loss pair, as differentiate-attach-loss leaves it.

    Makes the entry `@eval` from it, which adds the loss pair, and for losses
    over classes the number of correct answers, to accumulators of their own and
    returns the model's outputs. Dropout is left out.
  }];
  let dependentDialects = ["::dsc::nn::NnDialect", "::dsc::train::TrainDialect"];
}

def BuildForwardPass
    : Pass<"differentiate-build-forward", "::mlir::ModuleOp"> {
  let summary = "Consume @forward; turn it into the forward entry if asked to";
  let description = [{
    Expects `@forward`, with or without a loss pair.

    With `keep`, replaces it by an entry of the same name that takes the inputs
    that the model's outputs need and returns those. Without, erases it. Dropout
    is left out. In a module that trains nothing, parameters become frozen, and
    states that the entry does not read disappear.

    Before:
    ```mlir
    func.func @forward(%x: tensor<4xf32> {dsc.name = "x"}, %unused: tensor<4xf32> {dsc.name = "unused"}) -> (tensor<4xf32> {dsc.name = "y"}) {
      %0 = nn.tanh %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    After, with `keep`:
    ```mlir
    train.entry @forward(%x: tensor<4xf32> {dsc.name = "x", dsc.role = "data"}) -> (tensor<4xf32> {dsc.name = "y"}) kind(forward) {
      %0 = nn.tanh %x : tensor<4xf32>
      train.return %0 : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"keep", "keep", "bool", "true",
           "leave a forward entry; default on">
  ];
  let dependentDialects = ["::dsc::train::TrainDialect"];
}

def VerifyDifferentiatedPass : Pass<"differentiate-verify", "::mlir::ModuleOp"> {
  let summary = "Check the exit form of the differentiate stage";
  let description = [{
    Properties, by the label that the negative tests carry:

    - (D1) all code is in `train.entry`: `step`, `step_last`, `update` and
      `eval`, or `forward`, or all of them, each of its kind, and beside
      `update` perhaps `layer_norms`, `step.debug` and `update.debug`;
    - (D2) `step`, `step_last` and `eval` have the same inputs, `forward` some
      of them, with unique names and known roles;
    - (D3) entries hold `nn` and `train` operations with static shapes only;
    - (D4) each trainable parameter has one gradient state, and at least one
      `train.gradient` in each step; a parameter that is not trained has no
      gradient and no moment;
    - (D5) each step adds once to `dsc.loss_sum` and `dsc.loss_weight`, and both
      add to the same counters, once;
    - (D6) update writes each trainable parameter, moment, gradient, loss
      accumulator, report, and counter that the steps do not add to, exactly
      once;
    - (D7) update reads no symbol after writing it, and accumulates into none.
  }];
}

#endif // DSC_PASSES_DIFFERENTIATE_PASSES_TD
