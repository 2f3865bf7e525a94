#include "compiler/CommandLine.h"

#include "compiler/CommandLineOptions.h"
#include "compiler/Compile.h"
#include "compiler/ConfigCheck.h"
#include "compiler/ConfigOptions.h"
#include "compiler/OptionSyntax.h"
#include "compiler/Options.h"
#include "compiler/explain/Explain.h"
#include "compiler/export/onnx/OnnxExporter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace dsc;
using llvm::StringRef;

Command::Command() = default;
Command::~Command() = default;
Command::Command(Command &&) = default;

/// MLIR registers its flags without a category, among them some that serve
/// only mlir-opt. Those that serve users of dsc get a heading of their own.
void CommandLine::groupMlirFlags() {
  for (auto &entry : cl::getRegisteredOptions()) {
    StringRef name = entry.first;
    // LLVM's release libraries count no pass statistics.
    if (name.starts_with("mlir-") && !name.contains("statistics"))
      entry.second->addCategory(mlirFlags);
  }
  cl::HideUnrelatedOptions(
      {&inputs, &training, &optimization, &target, &outputs, &mlirFlags});
  cl::HideUnrelatedOptions({&inputs, &outputs}, exportCommand);
  cl::HideUnrelatedOptions({&inputs, &outputs}, explainCommand);
  cl::HideUnrelatedOptions({&outputs}, configCommand);
}

static bool usageError(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "dsc") << message << '\n';
  return false;
}

static bool checkChoice(StringRef flag, StringRef value,
                        llvm::ArrayRef<StringRef> choices) {
  if (llvm::is_contained(choices, value))
    return true;
  return usageError("--" + flag + "=" + value + ": choose one of " +
                    llvm::join(choices, ", "));
}

bool CommandLine::fillOutput(CompileOptions &options) {
  if (std::optional<Stage> stage = lookupStage(emit)) {
    options.outputKind = OutputKind::Stage;
    options.lastStage = *stage;
  } else if (emit == "llvm") {
    options.outputKind = OutputKind::LLVMIR;
  } else if (emit == "asm") {
    options.outputKind = OutputKind::Assembly;
  } else if (emit == "obj") {
    options.outputKind = OutputKind::Object;
  } else if (emit != "so") {
    return usageError("--emit=" + emit.getValue() +
                      ": neither a stage nor one of llvm, asm, obj, so");
  }
  options.output = dryRun ? "" : output.getValue();
  if (!options.output.empty() || options.inspectsPrograms())
    return true;
  switch (options.outputKind) {
  case OutputKind::SharedObject:
    options.output = (llvm::sys::path::stem(options.model) + ".so").str();
    break;
  case OutputKind::Object:
    options.output = (llvm::sys::path::stem(options.model) + ".o").str();
    break;
  default:
    options.output = "-";
  }
  return true;
}

/// A plan is for programs that are whole, so what stops before there are any
/// cannot be combined with it.
bool CommandLine::fillPlan(CompileOptions &options) {
  options.plan.enabled = plan.getNumOccurrences() != 0 || dryRun;
  if (!fillSimulate(options))
    return false;
  if (!options.inspectsPrograms()) {
    const cl::Option *needPlan[] = {std::addressof(shardWeights), &json};
    for (const cl::Option *option : needPlan)
      if (option->getNumOccurrences())
        return usageError("--" + option->ArgStr +
                          " has no effect without --plan or --simulate");
    if (ranks.getNumOccurrences() && !memoryLimit.getNumOccurrences() &&
        !topology.getNumOccurrences())
      return usageError("--ranks has no effect without --plan, --simulate, "
                        "--memory-limit or --topology");
    options.plan.ranks = ranks;
    return true;
  }
  if (!plan.empty() && plan != "verbose")
    return usageError("--plan=" + plan.getValue() +
                      ": it is --plan or --plan=verbose");
  StringRef flag = dryRun                 ? "--dry-run"
                   : options.plan.enabled ? "--plan"
                   : simulate             ? "--simulate"
                                          : "--timeline";
  if (params)
    return usageError("--params stops before there is a plan; drop " + flag);
  if (std::optional<Stage> stage = lookupStage(emit);
      stage && *stage < Stage::Lower)
    return usageError("--emit=" + emit.getValue() +
                      " stops before there is a plan; drop " + flag);
  if (dryRun && !dumpStages.empty())
    return usageError("--dump-stages writes files; drop --dry-run");
  if (!dryRun && output == "-")
    return usageError(flag + " prints to standard output: give -o a file");
  options.plan.verbose = plan == "verbose";
  options.plan.json = json;
  options.plan.schedule = dryRun;
  options.plan.ranks = ranks;
  return fillShardWeights(options.plan);
}

/// The ranks of a plan and their shares, where those are unequal.
bool CommandLine::fillShardWeights(PlanOptions &options) {
  options.shardWeights.assign(shardWeights.begin(), shardWeights.end());
  if (!shardWeights.empty()) {
    if (ranks.getNumOccurrences() && ranks != shardWeights.size())
      return usageError(
          "--shard-weights has " + llvm::Twine(shardWeights.size()) +
          " weights, one for each rank, and --ranks is " + llvm::Twine(ranks));
    if (llvm::all_of(shardWeights, [](unsigned weight) { return weight == 0; }))
      return usageError("--shard-weights: all weights are 0, so no rank would "
                        "own anything");
    options.ranks = shardWeights.size();
  }
  if (options.ranks == 0 || options.ranks > maxWorld)
    return usageError("--ranks=" + llvm::Twine(options.ranks) +
                      ": must be from 1 to --max-world, which is " +
                      llvm::Twine(maxWorld));
  return true;
}

/// Merges --train and --freeze in the order in which they were given.
static std::vector<OnnxImportOptions::TrainRule>
mergeTrainRules(const cl::list<std::string> &train,
                const cl::list<std::string> &freeze) {
  std::vector<std::pair<unsigned, OnnxImportOptions::TrainRule>> ordered;
  for (unsigned i = 0; i < train.size(); ++i)
    ordered.push_back({train.getPosition(i), {true, train[i]}});
  for (unsigned i = 0; i < freeze.size(); ++i)
    ordered.push_back({freeze.getPosition(i), {false, freeze[i]}});
  llvm::sort(ordered, llvm::less_first());
  std::vector<OnnxImportOptions::TrainRule> rules;
  for (auto &[position, rule] : ordered)
    rules.push_back(rule);
  return rules;
}

/// Splits each RULE@REGEX.
void CommandLine::fillInit(OnnxImportOptions &options) {
  for (const std::string &text : init) {
    auto [rule, regex] = StringRef(text).split('@');
    options.init.push_back({rule.str(), regex.str()});
  }
  options.initSeed = initSeed;
}

/// Refuses texts that no model could make sense of.
bool CommandLine::checkSyntax() {
  auto check = [](const cl::Option &option, StringRef text,
                  llvm::Error (*checkText)(StringRef)) {
    llvm::Error error = checkText(text);
    return !error || usageError("--" + option.ArgStr + "=" + text + ": " +
                                llvm::toString(std::move(error)));
  };
  auto checkAll = [&](const cl::list<std::string> &option,
                      llvm::Error (*checkText)(StringRef)) {
    return llvm::all_of(option, [&](const std::string &text) {
      return check(option, text, checkText);
    });
  };
  return checkAll(bind, checkBindSyntax) && checkAll(init, checkInitSyntax) &&
         checkAll(tie, checkTieSyntax) && checkAll(train, checkRegexSyntax) &&
         checkAll(freeze, checkRegexSyntax) &&
         (noDecay.empty() || check(noDecay, noDecay, checkRegexSyntax)) &&
         (remarks.empty() || check(remarks, remarks, checkRegexSyntax));
}

/// Without a loss there is nothing to optimize.
bool CommandLine::checkForwardOnly() {
  if (!forward || !loss.empty())
    return true;
  for (const cl::opt<bool> *diagnostic : {&layerNorms, &debugNan})
    if (*diagnostic)
      return usageError("--" + diagnostic->ArgStr +
                        " has no effect with --forward alone, which trains "
                        "nothing; give a --loss too");
  for (auto &entry : cl::getRegisteredOptions())
    if (entry.second->getNumOccurrences() &&
        llvm::is_contained(entry.second->Categories, &optimization))
      return usageError("--" + entry.second->ArgStr +
                        " has no effect with --forward alone, which trains "
                        "nothing; give a --loss too");
  return true;
}

/// Refuses what cannot train: NaN, infinity, and what lies outside
/// [low, high).
static bool checkNumber(StringRef flag, double value, double low,
                        double high = HUGE_VAL) {
  if (value >= low && value < high)
    return true;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "--" << flag << '=' << llvm::format("%g", value)
     << ": must be at least " << llvm::format("%g", low) << " and ";
  if (high == HUGE_VAL)
    os << "finite";
  else
    os << "below " << llvm::format("%g", high);
  return usageError(text);
}

bool CommandLine::checkNumbers() {
  for (double beta : betas)
    if (!checkNumber("betas", beta, 0, 1))
      return false;
  return checkNumber("lr", lr, 0) && checkNumber("eps", eps, 0) &&
         checkNumber("clip-norm", clipNorm, 0) &&
         checkNumber("momentum", momentum, 0) &&
         checkNumber("warmup-steps", warmupSteps, 0) &&
         checkNumber("total-steps", totalSteps, 1) &&
         checkNumber("min-lr", minLr, 0) &&
         (!weightDecay.getNumOccurrences() ||
          checkNumber("weight-decay", weightDecay, 0));
}

bool CommandLine::fillOptimizer(DifferentiateOptions &options) {
  if (!checkChoice("optimizer", optimizer, {"sgd", "adam", "adamw"}) ||
      !checkChoice("adam-epsilon", adamEpsilon, {"corrected", "uncorrected"}) ||
      !checkChoice("lr-schedule", lrSchedule,
                   {"constant", "linear", "cosine", "WarmupLR", "WarmupDecayLR",
                    "WarmupCosineLR", "OneCycle", "LRRangeTest"}) ||
      !checkChoice("warmup-type", warmupType, {"log", "linear"}) ||
      !checkNumbers() || !checkForwardOnly())
    return false;
  if (!betas.empty() && betas.size() != 2)
    return usageError("--betas takes two numbers, such as 0.9,0.999");
  if (nesterov && momentum == 0)
    return usageError("--nesterov needs --momentum above 0");
  options.loss = loss;
  options.forward = forward;
  options.training = !forward || !loss.empty();
  options.layerNorms = layerNorms;
  options.debugNan = debugNan;
  options.optimizer = optimizer;
  options.adamEpsilon = adamEpsilon;
  options.noDecay = noDecay;
  options.lrSchedule = lrSchedule;
  options.warmupType = warmupType;
  options.nesterov = nesterov;
  options.useMomentum = momentum != 0;
  options.momentum = momentum;
  options.clipNorm = clipNorm > 0;
  options.maxNorm = clipNorm;
  options.lr = lr;
  if (!betas.empty()) {
    options.beta1 = betas[0];
    options.beta2 = betas[1];
  }
  options.eps = eps;
  // PyTorch's defaults.
  bool decoupled = optimizer == "adamw";
  options.weightDecay = weightDecay.getNumOccurrences() ? weightDecay.getValue()
                        : decoupled                     ? 0.01
                                                        : 0.0;
  options.warmupSteps = warmupSteps;
  options.totalSteps = totalSteps;
  options.minLr = minLr;
  options.cycleMomentum = cycleMomentum;
  options.rangeStaircase = rangeStaircase;
  return scheduleNumbers.fill(options);
}

bool CommandLine::fillTarget(CompileOptions &options) {
  if (!checkChoice("target", targetName, {"host", "native"}) ||
      !checkChoice("precision", precision, {"f32", "f64"}) ||
      !checkChoice("fuse", fuse, {"all", "none"}) ||
      !checkChoice("recompute", recompute, {"none", "blocks", "auto"}) ||
      !checkChoice("offload-optimizer", offloadOptimizer,
                   {"none", "all", "auto"}))
    return false;
  if (StringRef seed = scheduleStage; seed.consume_front("random(")) {
    uint64_t number;
    if (!seed.consume_back(")") || seed.getAsInteger(10, number))
      return usageError("--schedule-stage=" + scheduleStage +
                        ": a seed is a whole number from 0 on, as in "
                        "random(7)");
    options.schedule.randomSeed = number;
  } else if (!checkChoice("schedule-stage", scheduleStage, {"on", "off"})) {
    return false;
  }
  if (recompute != "none" && scheduleStage == "off")
    return usageError("--recompute=" + recompute +
                      " needs the schedule stage, which --schedule-stage=off "
                      "leaves out");
  if (zero > 3)
    return usageError("--zero=" + llvm::Twine(zero) +
                      ": choose one of 0, 1, 2, 3");
  int64_t threshold = PartitionOptions::kAutomaticPersistence;
  if (persistenceThreshold != "auto" &&
      (StringRef(persistenceThreshold).getAsInteger(10, threshold) ||
       threshold < 0))
    return usageError("--persistence-threshold=" + persistenceThreshold +
                      ": must be a whole number from 0 on, or auto");
  if (threshold && zero != 3)
    return usageError("--persistence-threshold needs --zero=3; at lower stages "
                      "every parameter is whole");
  options.host.native = targetName == "native";
  options.host.cpu = cpu;
  std::string unknownCpu;
  if (failed(getHostMachine(options.host, unknownCpu)))
    return usageError("--mcpu=" + cpu + ": " + unknownCpu);
  options.precision.policy = precision;
  options.fusion.fuse = fuse == "all";
  options.partition.zeroStage = zero;
  options.partition.maxWorld = maxWorld;
  options.partition.persistenceThreshold = threshold;
  options.partition.bucketElements = bucketSize;
  options.lower.maxWorld = maxWorld;
  options.lower.poisonFreed = poisonFreed;
  options.schedule.enabled = scheduleStage != "off";
  using Recompute = ScheduleOptions::Recompute;
  options.schedule.recompute = recompute == "blocks" ? Recompute::Blocks
                               : recompute == "auto" ? Recompute::Auto
                                                     : Recompute::None;
  using Offload = ScheduleOptions::Offload;
  options.schedule.offload = offloadOptimizer == "all"    ? Offload::All
                             : offloadOptimizer == "auto" ? Offload::Auto
                                                          : Offload::None;
  return true;
}

/// The options that were given, by name; values of a repeated one are joined by
/// blanks. Those that say where to write, or what to print, are left out: a
/// module's bytes depend on what it computes alone.
std::map<std::string, std::string>
CommandLine::listGiven(llvm::ArrayRef<std::string> arguments, bool all) const {
  std::map<std::string, std::string> given;
  auto &registered = cl::getRegisteredOptions();
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (!argument.starts_with("-"))
      continue;
    auto [name, value] = argument.ltrim('-').split('=');
    auto option = registered.find(name);
    if (option == registered.end())
      continue;
    bool takesNext =
        !argument.contains('=') &&
        option->second->getValueExpectedFlag() == cl::ValueRequired;
    if (takesNext && i + 1 < arguments.size())
      value = arguments[++i];
    bool isOutside = option->second == &config ||
                     llvm::is_contained(option->second->Categories, &outputs) ||
                     llvm::is_contained(option->second->Categories, &mlirFlags);
    if (isOutside && !all)
      continue;
    std::string &text = given[name.str()];
    text += (text.empty() ? "" : " ") + value.str();
  }
  return given;
}

/// What the module's manifest says of how it was made.
void CommandLine::fillManifest(CompileOptions &options,
                               llvm::ArrayRef<std::string> arguments) {
  ManifestOptions &manifest = options.host.manifest;
  manifest.options = listGiven(arguments);
  manifest.model = model;
  if (options.differentiate.training)
    manifest.optimizer = optimizer;
  manifest.loss = loss;
  manifest.precision = precision;
  manifest.zeroStage = zero;
  manifest.maxWorld = maxWorld;
  manifest.weightsFile =
      llvm::sys::path::filename(getWeightsPath(options.output)).str();
}

bool CommandLine::fill(CompileOptions &options,
                       llvm::ArrayRef<std::string> arguments) {
  if (model.empty())
    return usageError("which model? give an ONNX file (dsc --help)");
  if (!checkChoice("training-mode", trainingMode, {"keep", "train", "eval"}) ||
      !checkSyntax())
    return false;
  options.model = model;
  options.dumpStages = dumpStages;
  options.remarks = remarks;
  options.listParameters = params;
  options.import.trainRules = mergeTrainRules(train, freeze);
  options.import.ties.assign(tie.begin(), tie.end());
  options.import.weightsFile = weights;
  options.import.trainingMode = trainingMode;
  options.normalize.bind.assign(bind.begin(), bind.end());
  options.import.bind = options.normalize.bind;
  options.microBatch = microBatch;
  fillInit(options.import);
  if (!fillOptimizer(options.differentiate) || !fillTarget(options) ||
      !fillPlan(options) || !fillOutput(options))
    return false;
  fillManifest(options, arguments);
  return true;
}

std::optional<Command> dsc::parseCommandLine(int argc, char **argv) {
  // LLVM's parser registers options in static tables, so they are made before
  // parsing and live until the process ends.
  static CommandLine line;
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  line.groupMlirFlags();
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "dsc " DSC_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  });
  const Manual manual = line.describe();
  std::string overview = "dsc: " + manual.summary + "\n\n";
  for (const std::string &usage : manual.usage)
    overview += "  dsc " + usage + "\n";
  if (!cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs()))
    return std::nullopt;

  if (line.manual || line.completion) {
    llvm::outs() << (line.manual ? manualPage(manual) : bashCompletion(manual));
    std::exit(Success);
  }

  Command command;
  if (line.configCommand) {
    if (line.configVerb != "check") {
      usageError("dsc config " + line.configVerb +
                 ": it is dsc config check "
                 "FILE");
      return std::nullopt;
    }
    command.configCheck = std::make_unique<ConfigCheckOptions>(
        ConfigCheckOptions{line.configFile, line.configJson});
    return command;
  }
  if (line.explainCommand) {
    if (line.explainModule.empty()) {
      usageError("which module? dsc explain M.so");
      return std::nullopt;
    }
    command.explain =
        std::make_unique<ExplainOptions>(ExplainOptions{line.explainModule});
    return command;
  }
  if (line.exportCommand) {
    if (line.output.empty() || line.output == "-") {
      usageError("export writes an ONNX file: name it with -o OUT.onnx");
      return std::nullopt;
    }
    command.exportModel = std::make_unique<ExportOptions>(
        ExportOptions{line.exportModule, line.exportWeights, line.output,
                      line.exportOriginal});
    return command;
  }
  ConfigOptions config({argv + 1, argv + argc});
  if (!config.apply(line)) {
    command.exitCode = InputError;
    return command;
  }
  if (line.printConfig) {
    config.print(line, llvm::outs());
    command.exitCode = Success;
    return command;
  }
  command.compile = std::make_unique<CompileOptions>();
  if (!line.fill(*command.compile, config.arguments()))
    return std::nullopt;
  if (!line.readMachine(*command.compile)) {
    command.compile.reset();
    command.exitCode = InputError;
    return command;
  }
  if (!line.fillSchedule(*command.compile))
    return std::nullopt;
  return command;
}
