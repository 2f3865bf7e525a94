#ifndef DSC_COMPILER_COMMANDLINEOPTIONS_H
#define DSC_COMPILER_COMMANDLINEOPTIONS_H

#include "compiler/Options.h"
#include "compiler/ScheduleNumbers.h"
#include "runtime/manual/Manual.h"
#include "llvm/Support/CommandLine.h"

namespace dsc {

namespace cl = llvm::cl;

/// Ranks that the schedule is chosen for unless --ranks says.
inline constexpr unsigned kUsualRanks = 8;

/// The options of `dsc`, one row each, registered with LLVM's parser while this
/// object lives. It is made once, in parseCommandLine.
struct CommandLine {
  cl::OptionCategory inputs{"Model and data"};
  cl::OptionCategory training{"What is trained"};
  cl::OptionCategory optimization{"Optimizer (numbers are defaults that dsrun "
                                  "can change)"};
  cl::OptionCategory target{"Target and distribution"};
  cl::OptionCategory outputs{"Output and inspection"};
  cl::OptionCategory mlirFlags{"MLIR printing and timing"};

  cl::SubCommand exportCommand{
      "export", "Write trained weights back into the user's ONNX graph"};
  cl::SubCommand explainCommand{"explain", "Say in words what a module holds"};

  //===--- Model and data ------------------------------------------------===//
  cl::opt<std::string> model{cl::Positional, cl::desc("MODEL.onnx"),
                             cl::cat(inputs)};
  cl::list<std::string> bind{
      "bind", cl::value_desc("NAME=SIZE|INPUT=AxBxC"), cl::cat(inputs),
      cl::desc("Size of a symbolic dimension, or shape of an input (elements). "
               "May be repeated; a list such as seq=128,256 makes one set of "
               "entry points each. Default: none; every symbolic dimension "
               "needs one")};
  cl::opt<std::string> weights{
      "weights", cl::value_desc("FILE.safetensors"), cl::cat(inputs),
      cl::desc("Initial values by tensor name, over those in the model. "
               "Default: the model's own")};
  cl::list<std::string> init{
      "init", cl::value_desc("RULE@REGEX"), cl::cat(inputs),
      cl::desc("Initial values by rule for parameters without data whose name "
               "matches: zeros, ones, normal(std), uniform(a,b), xavier, "
               "kaiming. The last match wins. Default: none")};
  cl::opt<uint64_t> initSeed{
      "init-seed", cl::value_desc("N"), cl::init(0), cl::cat(inputs),
      cl::desc("Seed of --init's random rules. Default: 0")};

  cl::opt<uint64_t> microBatch{
      "micro-batch", cl::value_desc("SAMPLES"), cl::init(0), cl::cat(inputs),
      cl::desc("Samples of a micro-batch: the size of the first dimension of "
               "the first input, and of dimensions of the same name. Default: "
               "as --bind or the model says")};
  cl::opt<std::string> config{
      "config", cl::value_desc("FILE"), cl::cat(inputs),
      cl::desc("Take options from a ds_config.json, or its text in base64; "
               "what the command line gives wins. Default: none")};

  //===--- What is trained -----------------------------------------------===//
  cl::opt<std::string> loss{
      "loss", cl::value_desc("LOSS"), cl::cat(training),
      cl::desc("OUTPUT, cross_entropy(OUT,LABELS[,ignore=-100][,shift=1]), "
               "mse(OUT,TARGET), bce_with_logits(OUT,TARGET) or sum(OUT). "
               "LABELS and TARGET may be new inputs; with shift=1 a position's "
               "label is that of the next one. Default: the model's only float "
               "scalar output")};
  cl::opt<bool> forward{
      "forward", cl::cat(training),
      cl::desc("Also compile an entry point that only computes the model's "
               "outputs; without --loss, that one alone. Default: off")};
  cl::list<std::string> train{
      "train", cl::value_desc("REGEX"), cl::cat(training),
      cl::desc("Train the parameters (or graph inputs) whose name "
               "matches. The last matching --train or --freeze wins over the "
               "rules that --params shows")};
  cl::list<std::string> freeze{
      "freeze", cl::value_desc("REGEX"), cl::cat(training),
      cl::desc("Do not train the parameters whose name matches")};
  cl::list<std::string> tie{
      "tie", cl::value_desc("A=B|A=B^T"), cl::cat(training),
      cl::desc("Make B the same parameter as A, or as A transposed")};
  cl::opt<std::string> trainingMode{
      "training-mode", cl::value_desc("keep|train|eval"), cl::init("keep"),
      cl::cat(training),
      cl::desc("Dropout and normalisation with statistics: as the graph says, "
               "in training form, or in evaluation form. Default: keep")};
  cl::opt<bool> layerNorms{
      "layer-norms", cl::cat(training),
      cl::desc("Also compile an entry point for the gradient and weight norms "
               "of each layer, which dsrun --layer-norms=K runs. Default: "
               "off")};
  cl::opt<bool> debugNan{
      "debug-nan", cl::cat(training),
      cl::desc("Also compile entry points with which dsrun, when the loss or a "
               "gradient is not finite, finds the operation that began it. "
               "Default: off")};
  cl::opt<bool> poisonFreed{
      "poison-freed", cl::cat(training),
      cl::desc(
          "Fill memory of a step with NaN before it begins and where it is "
          "freed, so that a read of anything else than what the step put "
          "there shows. Results are the same bits. Default: off")};
  cl::opt<bool> params{
      "params", cl::cat(training),
      cl::desc("Print every parameter with its role and the reason, then "
               "stop")};

  //===--- Optimizer -----------------------------------------------------===//
  cl::opt<std::string> optimizer{"optimizer", cl::value_desc("sgd|adam|adamw"),
                                 cl::init("adamw"), cl::cat(optimization),
                                 cl::desc("Default: adamw")};
  cl::opt<std::string> adamEpsilon{
      "adam-epsilon", cl::value_desc("corrected|uncorrected"),
      cl::init("corrected"), cl::cat(optimization),
      cl::desc("Whether eps is added to the bias-corrected root (PyTorch) or "
               "to the uncorrected one (Hugging Face, ONNX Runtime). Default: "
               "corrected")};
  cl::opt<bool> nesterov{"nesterov", cl::cat(optimization),
                         cl::desc("Nesterov momentum for sgd. Default: off")};
  cl::opt<std::string> noDecay{
      "no-decay", cl::value_desc("REGEX"), cl::cat(optimization),
      cl::desc("Parameters without weight decay. Default: none")};
  cl::opt<double> clipNorm{
      "clip-norm", cl::value_desc("NORM"), cl::init(0.0), cl::cat(optimization),
      cl::desc("Clip the global L2 norm of the gradients. Default: 0, no "
               "clipping")};
  cl::opt<std::string> lrSchedule{
      "lr-schedule", cl::value_desc("KIND"), cl::init("constant"),
      cl::cat(optimization),
      cl::desc("constant, linear, cosine, WarmupLR, WarmupDecayLR, "
               "WarmupCosineLR, OneCycle or LRRangeTest. Default: constant")};
  cl::opt<double> lr{"lr", cl::value_desc("RATE"), cl::init(1e-3),
                     cl::cat(optimization),
                     cl::desc("Learning rate. Default: 0.001")};
  cl::list<double> betas{"betas", cl::value_desc("B1,B2"), cl::CommaSeparated,
                         cl::cat(optimization),
                         cl::desc("Decay of Adam's moments a step. Default: "
                                  "0.9,0.999")};
  cl::opt<double> eps{"eps", cl::value_desc("EPS"), cl::init(1e-8),
                      cl::cat(optimization),
                      cl::desc("Adam's denominator term. Default: 1e-8")};
  cl::opt<double> weightDecay{
      "weight-decay", cl::value_desc("RATE"), cl::init(-1.0),
      cl::cat(optimization),
      cl::desc("Weight decay. Default: 0.01 for adamw, else 0")};
  cl::opt<double> momentum{"momentum", cl::value_desc("M"), cl::init(0.0),
                           cl::cat(optimization),
                           cl::desc("Momentum of sgd. Default: 0")};
  cl::opt<std::string> warmupType{
      "warmup-type", cl::value_desc("log|linear"), cl::init("log"),
      cl::cat(optimization),
      cl::desc("Shape of the warm-up of WarmupLR and WarmupDecayLR. Default: "
               "log, as in DeepSpeed")};
  cl::opt<double> warmupSteps{
      "warmup-steps", cl::value_desc("UPDATES"), cl::init(0.0),
      cl::cat(optimization),
      cl::desc("Warm-up of the learning rate, in updates. Default: 0")};
  cl::opt<double> totalSteps{
      "total-steps", cl::value_desc("UPDATES"), cl::init(1000.0),
      cl::cat(optimization),
      cl::desc("Length of the learning-rate schedule, in updates. Default: "
               "1000")};
  cl::opt<double> minLr{"min-lr", cl::value_desc("RATE"), cl::init(0.0),
                        cl::cat(optimization),
                        cl::desc("Lowest rate of the schedule. Default: 0")};

  cl::opt<bool> cycleMomentum{
      "cycle-momentum", cl::cat(optimization),
      cl::desc("OneCycle moves Adam's first beta against the rate. Default: "
               "off")};
  cl::opt<bool> rangeStaircase{
      "range-staircase", cl::cat(optimization),
      cl::desc("LRRangeTest raises the rate once an interval, not in every "
               "update. Default: off")};
  ScheduleNumbers scheduleNumbers{optimization};

  //===--- Target and distribution ---------------------------------------===//
  cl::opt<std::string> targetName{
      "target", cl::value_desc("host|native"), cl::init("host"),
      cl::cat(target),
      cl::desc("Machine to compile for: host is any x86-64-v3 machine, native "
               "this very one. Default: host")};
  cl::opt<std::string> cpu{
      "mcpu", cl::value_desc("CPU"), cl::cat(target),
      cl::desc("CPU to compile for, by LLVM's name. Default: that of "
               "--target")};
  cl::opt<unsigned> zero{
      "zero", cl::value_desc("0|1|2|3"), cl::init(0), cl::cat(target),
      cl::desc("ZeRO stage: what each rank owns only a shard of: nothing (0), "
               "optimizer state (1), also gradients (2), also parameters (3). "
               "Default: 0")};
  cl::opt<std::string> persistenceThreshold{
      "persistence-threshold", cl::value_desc("ELEMENTS|auto"), cl::init("0"),
      cl::cat(target),
      cl::desc("With --zero=3, keep parameters of at most so many elements "
               "whole on every rank; auto: ten times the most frequent size "
               "over which products add. Default: 0, none")};
  cl::opt<uint64_t> bucketSize{
      "bucket-size", cl::value_desc("ELEMENTS"), cl::init(0), cl::cat(target),
      cl::desc("Cut a layer of more elements into several groups, so that a "
               "collective moves no more, or one tensor. Default: 0, no "
               "bound")};
  cl::opt<uint64_t> gatherBucketSize{
      "allgather-bucket-size", cl::value_desc("ELEMENTS"), cl::init(131072),
      cl::cat(target),
      cl::desc("Gathers of at most so many elements together travel in one "
               "message where that saves time; 0: none do. Default: 131072")};
  cl::opt<uint64_t> reduceBucketSize{
      "reduce-bucket-size", cl::value_desc("ELEMENTS"), cl::init(131072),
      cl::cat(target), cl::desc("The same for reductions. Default: 131072")};
  cl::opt<unsigned> maxWorld{
      "max-world", cl::value_desc("RANKS"), cl::init(1024), cl::cat(target),
      cl::desc("Most ranks that the module can run on; bounds padding. "
               "Default: 1024")};
  cl::opt<std::string> precision{
      "precision", cl::value_desc("f32|f64"), cl::init("f32"), cl::cat(target),
      cl::desc("Types of master weights, compute and accumulation. Default: "
               "f32")};
  cl::opt<std::string> fuse{
      "fuse", cl::value_desc("all|none"), cl::init("all"), cl::cat(target),
      cl::desc("Form kernels of several operations, or one each. Default: "
               "all")};
  cl::opt<std::string> scheduleStage{
      "schedule-stage", cl::value_desc("on|off|random(SEED)"), cl::init("on"),
      cl::cat(target),
      cl::desc("Move collectives away from their uses; random, for tests: by "
               "chance. Results are the same bits either way. Default: on")};
  cl::opt<std::string> recompute{
      "recompute", cl::value_desc("none|blocks|auto"), cl::init("none"),
      cl::cat(target),
      cl::desc("Activations that backward computes again instead of finding "
               "them in memory: none; all inside of each layer but the last; "
               "or what --memory-limit asks for, and no more. Results are the "
               "same bits. Default: none")};
  cl::opt<std::string> offloadOptimizer{
      "offload-optimizer", cl::value_desc("none|all|auto"), cl::init("none"),
      cl::cat(target),
      cl::desc("States of the optimizer that lie outside of a rank's memory, "
               "in host memory or a file (dsrun --offload-dir), and are "
               "brought in by update: none; all; or what --memory-limit asks "
               "for, and no more. Results are the same bits. Default: none")};

  cl::opt<std::string> memoryLimit{
      "memory-limit", cl::value_desc("BYTES"), cl::cat(target),
      cl::desc("Most bytes that one of --ranks ranks holds: state, arena and "
               "inputs. What is gathered, kept and recomputed is chosen so "
               "that it fits. Suffixes k, M, G, T or KiB, MiB, GiB, TiB. "
               "Default: no limit")};
  cl::opt<std::string> overlap{
      "overlap", cl::value_desc("on|off"), cl::init("on"), cl::cat(target),
      cl::desc("Let exchanges run beside computation. Default: on")};
  cl::opt<uint64_t> prefetchBucketSize{
      "prefetch-bucket-size", cl::value_desc("ELEMENTS"), cl::cat(target),
      cl::desc("Gather at most so many elements ahead of their use; 0: none. "
               "Default: as many as it takes to hide the exchange")};
  cl::opt<uint64_t> maxLiveParameters{
      "max-live-parameters", cl::value_desc("ELEMENTS"), cl::cat(target),
      cl::desc("Hold at most so many gathered elements at once, or those that "
               "one use needs. Default: no bound")};
  cl::opt<uint64_t> maxReuseDistance{
      "max-reuse-distance", cl::value_desc("ELEMENTS"), cl::cat(target),
      cl::desc("Keep a group gathered only if fewer elements than this are "
               "used until its next use; 0: never. Default: no bound")};
  cl::opt<std::string> topology{
      "topology", cl::value_desc("FILE"), cl::cat(target),
      cl::desc("Machine that times are predicted for (docs/machines.md): a "
               "file, or one that dsc knows by name: a100x8, h100x8, h200x8, "
               "ascend910bx8, host. Default: figures of a host of 2 cores")};

  //===--- Output and inspection -----------------------------------------===//
  cl::opt<std::string> output{
      "o",
      cl::value_desc("FILE"),
      cl::cat(outputs),
      cl::sub(cl::SubCommand::getTopLevel()),
      cl::sub(exportCommand),
      cl::desc("File to write; - is standard output. Default: MODEL.so in "
               "this folder, standard output for text, none with --plan")};
  cl::opt<std::string> emit{
      "emit", cl::value_desc("STAGE|llvm|asm|obj|so"), cl::init("so"),
      cl::cat(outputs),
      cl::desc("Stop after a stage (import, normalize, differentiate, "
               "precision, fusion, partition, schedule, lower, codegen) and "
               "write its module, or write that form of the code. Default: "
               "so")};
  cl::opt<std::string> remarks{
      "remarks", cl::value_desc("REGEX"), cl::cat(outputs),
      cl::desc("Say why and why not, for the stages whose name matches: what "
               "was fused, gathered, moved. Default: none")};
  cl::opt<std::string> dumpStages{
      "dump-stages", cl::value_desc("DIR"), cl::cat(outputs),
      cl::desc("Write the module after each stage to a numbered file in DIR. "
               "Default: none")};

  cl::opt<std::string> plan{
      "plan", cl::value_desc("verbose"), cl::ValueOptional, cl::cat(outputs),
      cl::desc("Print what a rank holds and receives: bytes by class, padding, "
               "bytes on the wire, the peak of a step; verbose also lists "
               "every operation. Writes a module only if -o names one. "
               "Default: off")};
  cl::opt<bool> simulate{
      "simulate", cl::cat(outputs),
      cl::desc("Print how long a step takes on --ranks ranks of --topology, "
               "what of its communication is not hidden, what each link "
               "carries, and the peak of memory (docs/simulate.md). Writes a "
               "module only if -o names one. Default: off")};
  cl::opt<std::string> timeline{
      "timeline", cl::value_desc("OUT.json"), cl::cat(outputs),
      cl::desc("Write when each operation is expected to run on each stream, "
               "in Chrome's trace format, which ui.perfetto.dev opens. Writes "
               "a module only if -o names one. Default: none")};
  cl::opt<unsigned> ranks{
      "ranks", cl::value_desc("RANKS"), cl::init(1), cl::cat(outputs),
      cl::desc("Ranks that --plan, --simulate and --timeline are for, and that "
               "--memory-limit and --topology choose the schedule for, up to "
               "--max-world; the module runs on any number. Default: 1; for "
               "the schedule, 8")};
  cl::list<unsigned> shardWeights{
      "shard-weights", cl::value_desc("W0,W1,..."), cl::CommaSeparated,
      cl::cat(outputs),
      cl::desc(
          "Shares of the ranks that --plan is for in the state that is cut "
          "among them, as dsrun --shard-weights. Default: equal shares")};
  cl::opt<bool> dryRun{
      "dry-run", cl::cat(outputs),
      cl::desc("Check everything, print the plan and when each collective "
               "starts and is waited for, and write nothing. Default: off")};
  cl::opt<bool> json{
      "json", cl::cat(outputs),
      cl::desc("Print --plan as JSON (docs/plan.md), or --simulate "
               "(docs/simulate.md). Default: off")};

  cl::opt<bool> manual{
      "manual", cl::cat(outputs),
      cl::desc("Print the manual page, then stop: dsc --manual | man -l -")};
  cl::opt<bool> completion{
      "completion", cl::cat(outputs),
      cl::desc("Print the completion for bash, then stop: eval \"$(dsc "
               "--completion)\"")};

  cl::opt<bool> printConfig{
      "print-config", cl::cat(outputs),
      cl::desc("Print every option with its value and where that came from, "
               "and stop")};

  //===--- dsc config check ----------------------------------------------===//
  cl::SubCommand configCommand{
      "config", "Say what becomes of each key of a ds_config.json: dsc config "
                "check FILE"};
  cl::opt<std::string> configVerb{cl::Positional, cl::desc("check"),
                                  cl::Required, cl::sub(configCommand)};
  cl::opt<std::string> configFile{cl::Positional, cl::desc("FILE"),
                                  cl::Required, cl::sub(configCommand)};
  cl::opt<bool> configJson{"json", cl::sub(configCommand), cl::cat(outputs),
                           cl::desc("Print JSON. Default: off")};

  //===--- dsc explain ---------------------------------------------------===//
  cl::opt<std::string> explainModule{cl::Positional, cl::desc("MODULE.so"),
                                     cl::sub(explainCommand)};

  //===--- dsc export ----------------------------------------------------===//
  cl::opt<std::string> exportModule{cl::Positional, cl::Required,
                                    cl::desc("MODULE.so"),
                                    cl::sub(exportCommand)};
  cl::opt<std::string> exportWeights{
      "weights",
      cl::value_desc("PATH"),
      cl::Required,
      cl::sub(exportCommand),
      cl::cat(inputs),
      cl::desc("Trained weights, as dsrun --save writes them: a .safetensors "
               "file, a checkpoint, or a folder of checkpoints, of which the "
               "newest is taken")};
  cl::opt<std::string> exportOriginal{
      "model", cl::value_desc("MODEL.onnx"), cl::sub(exportCommand),
      cl::cat(inputs),
      cl::desc("The ONNX file that the module was compiled from. Default: "
               "where it was then")};

  void groupMlirFlags();
  Manual describe();
  bool fill(CompileOptions &options, llvm::ArrayRef<std::string> arguments);
  void fillInit(OnnxImportOptions &options);
  bool checkSyntax();
  bool checkNumbers();
  bool checkForwardOnly();
  bool fillOptimizer(DifferentiateOptions &options);
  bool fillTarget(CompileOptions &options);
  /// The options among `arguments`, by name; `all`: also those that a module
  /// does not depend on.
  std::map<std::string, std::string>
  listGiven(llvm::ArrayRef<std::string> arguments, bool all = false) const;
  void fillManifest(CompileOptions &options,
                    llvm::ArrayRef<std::string> arguments);
  bool fillOutput(CompileOptions &options);
  bool fillPlan(CompileOptions &options);
  bool fillShardWeights(PlanOptions &options);
  bool fillSimulate(CompileOptions &options);
  bool fillSchedule(CompileOptions &options);
  bool fillMemoryLimit(CompileOptions &options);
  /// Reads the machine of --topology. Prints what is wrong with it.
  bool readMachine(CompileOptions &options);
};

} // namespace dsc

#endif // DSC_COMPILER_COMMANDLINEOPTIONS_H
