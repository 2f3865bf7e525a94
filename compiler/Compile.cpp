#include "compiler/Compile.h"

#include "compiler/Diagnostics.h"
#include "compiler/EntrySets.h"
#include "compiler/InspectPrograms.h"
#include "compiler/MicroBatch.h"
#include "compiler/Options.h"
#include "compiler/OutputFile.h"
#include "compiler/ParameterTable.h"
#include "compiler/Register.h"
#include "compiler/ScheduleReport.h"
#include "compiler/Weights.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace dsc;
using namespace mlir;
using llvm::StringRef;

namespace {

/// Remembers which pass failed, so that the driver can tell a user's mistake
/// from a broken exit form.
struct FailureRecorder : PassInstrumentation {
  explicit FailureRecorder(std::string &failedPass) : failedPass(failedPass) {}
  void runAfterPassFailed(Pass *pass, Operation *) override {
    if (failedPass.empty())
      failedPass = pass->getArgument().str();
  }
  std::string &failedPass;
};

/// One compilation: the module and what has been learnt about it so far.
class Compilation {
public:
  explicit Compilation(const CompileOptions &options);
  ExitCode run();

private:
  ExitCode runStage(const StageInfo &stage);
  ExitCode runPasses(const StageInfo &stage, ModuleOp module,
                     const CompileOptions &options);
  ExitCode failStage(const StageInfo &stage, ModuleOp module,
                     StringRef failedPass);
  bool dump(const StageInfo &stage);
  bool isWithinLimit();
  bool writeModule(StringRef path);
  bool writeSharedObject();
  bool write();

  const CompileOptions &options;
  /// What schedule decided, for --plan=verbose. Outlives the context.
  std::vector<DecisionRow> decisions;
  MLIRContext context;
  /// One module, but one for each set of entry points between import and
  /// differentiate.
  std::vector<OwningOpRef<ModuleOp>> modules;
  std::vector<EntrySet> sets;
  /// Filled before lower, which turns parameters into rows of the state table.
  std::vector<WeightSource> weights;
  /// What --plan and --simulate print, once all has been written.
  std::string inspection;
  DefaultTimingManager timing;
  TimingScope rootScope;
  unsigned errors = 0;
};

} // namespace

std::string dsc::getWeightsPath(StringRef module) {
  llvm::SmallString<128> path(module);
  llvm::sys::path::replace_extension(path, "weights.safetensors");
  return path.str().str();
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

Compilation::Compilation(const CompileOptions &options)
    : options(options), context(makeRegistry()) {
  applyDefaultTimingManagerCLOptions(timing);
  rootScope = timing.getRootScope();
  // Operations are not shown in errors: a user reads node names, not IR.
  context.printOpOnDiagnostic(false);
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      ++errors;
    printDiagnostic(diagnostic);
  });
  std::unique_ptr<ScheduleReport> report;
  std::string shown = options.remarks;
  if (options.plan.verbose) {
    report = std::make_unique<ScheduleReport>(decisions, options.remarks);
    shown = shown.empty() ? "^schedule$" : "(" + shown + ")|^schedule$";
  }
  if (shown.empty())
    return;
  bool isReported = report != nullptr;
  // The expression has been checked by the command line. A kind of remark that
  // has none of its own is off, whatever the one for all of them says.
  remark::RemarkCategories categories;
  categories.all = categories.passed = categories.missed = categories.analysis =
      categories.failed = shown;
  (void)remark::enableOptimizationRemarks(
      context, std::move(report),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/!isReported);
}

/// Tells whose fault the failure is; for dsc's own, leaves the module as it is
/// now for whoever has to find out.
ExitCode Compilation::failStage(const StageInfo &stage, ModuleOp module,
                                StringRef failedPass) {
  bool exitFormBroken = failedPass.ends_with("-verify");
  if (stage.rejectsInput && !exitFormBroken && errors)
    return InputError;
  constexpr StringLiteral path = "dsc-reproducer.mlir";
  llvm::WithColor::error(llvm::errs(), "dsc")
      << "internal error in stage " << stage.name << ", pass "
      << (failedPass.empty() ? "unknown" : failedPass) << '\n';
  bool written = writeOutputFile(path, [&](llvm::raw_ostream &os) {
    os << "// dsc-opt --dsc-" << stage.name << ' ' << path << '\n';
    OpPrintingFlags flags;
    module.print(os, flags.enableDebugInfo().assumeVerified());
    return true;
  });
  if (written)
    llvm::errs() << "please report it with " << path
                 << ", which holds the module at that point\n";
  return InternalError;
}

bool Compilation::dump(const StageInfo &stage) {
  if (options.dumpStages.empty())
    return true;
  if (std::error_code code =
          llvm::sys::fs::create_directories(options.dumpStages)) {
    llvm::WithColor::error(llvm::errs(), "dsc")
        << "--dump-stages=" << options.dumpStages << ": " << code.message()
        << '\n';
    return false;
  }
  std::string name = llvm::formatv(
      "{0}-{1}.mlir", static_cast<int>(stage.stage) + 1, stage.name);
  llvm::SmallString<128> path(options.dumpStages);
  llvm::sys::path::append(path, name);
  return writeModule(path);
}

/// Whether what was planned is what schedule counted on. It is, unless dsc is
/// wrong.
bool Compilation::isWithinLimit() {
  if (!options.schedule.memoryLimit)
    return true;
  llvm::Expected<RankPlan> plan =
      planRank(*modules.front(), options.schedule.cost.ranks, {});
  std::string reason;
  if (!plan)
    reason = llvm::toString(plan.takeError());
  else if (plan->totalBytes > *options.schedule.memoryLimit)
    reason = llvm::formatv("a rank holds {0} bytes, and --memory-limit is {1}",
                           plan->totalBytes, *options.schedule.memoryLimit);
  if (!reason.empty())
    llvm::WithColor::error(llvm::errs(), "dsc")
        << "internal error: " << reason << '\n';
  return reason.empty();
}

bool Compilation::writeModule(StringRef path) {
  return writeOutputFile(path, [&](llvm::raw_ostream &os) {
    llvm::interleave(
        modules,
        [&](const OwningOpRef<ModuleOp> &module) { module.get()->print(os); },
        [&] { os << "\n// -----\n\n"; });
    return true;
  });
}

ExitCode Compilation::runPasses(const StageInfo &stage, ModuleOp module,
                                const CompileOptions &options) {
  TimingScope scope = rootScope.nest(stage.name);
  PassManager pm(&context);
  if (failed(applyPassManagerCLOptions(pm)))
    return UsageError;
  pm.enableTiming(scope);
  std::string failedPass;
  pm.addInstrumentation(std::make_unique<FailureRecorder>(failedPass));
  stage.build(pm, options);
  if (failed(pm.run(module)))
    return failStage(stage, module, failedPass);
  return Success;
}

ExitCode Compilation::runStage(const StageInfo &stage) {
  if (stage.stage == Stage::Import) {
    TimingScope scope = rootScope.nest(stage.name);
    modules.push_back(importOnnx(options.model, options.import, &context));
    return modules.front() ? Success : InputError;
  }
  if (stage.stage == Stage::Normalize) {
    std::vector<std::string> bind = options.normalize.bind;
    if (options.microBatch &&
        failed(bindMicroBatch(*modules.front(), options.microBatch, bind)))
      return InputError;
    sets = expandEntrySets(bind);
    for (size_t i = 1; i < sets.size(); ++i)
      modules.push_back(modules.front()->clone());
  }
  CompileOptions setOptions = options;
  for (auto [module, set] : llvm::zip(modules, sets)) {
    setOptions.normalize.bind = set.bind;
    if (ExitCode code = runPasses(stage, *module, setOptions))
      return code;
  }
  if (stage.stage == Stage::Differentiate) {
    if (failed(mergeEntrySets(modules, sets)))
      return InputError;
    modules.resize(1);
  }
  return Success;
}

ExitCode Compilation::run() {
  for (const StageInfo &stage : getStages()) {
    if (stage.stage == Stage::Lower)
      weights = collectWeights(*modules.front());
    if (ExitCode code = runStage(stage))
      return code;
    if (!dump(stage))
      return InputError;
    if (options.listParameters && stage.stage == Stage::Differentiate) {
      printParameterTable(*modules.front(), llvm::outs());
      return Success;
    }
    if (stage.stage == Stage::Lower && !isWithinLimit())
      return InternalError;
    if (options.inspectsPrograms() && stage.stage == Stage::Lower) {
      if (!inspectPrograms(*modules.front(), options, decisions, inspection))
        return InputError;
      if (options.output.empty())
        break;
    }
    if (options.outputKind == OutputKind::Stage &&
        stage.stage == options.lastStage)
      break;
  }
  if (!options.output.empty() && !write())
    return InputError;
  llvm::outs() << inspection;
  return Success;
}

/// The shared object and the weights beside it. A module without its weights
/// would be of no use, so they are written first.
bool Compilation::writeSharedObject() {
  std::string weightsPath = getWeightsPath(options.output);
  bool weightsWritten =
      writeOutputFile(weightsPath, [&](llvm::raw_ostream &os) {
        return writeWeights(weights, os);
      });
  if (!weightsWritten)
    return false;
  if (succeeded(
          linkSharedObject(*modules.front(), options.host, options.output)))
    return true;
  llvm::sys::fs::remove(weightsPath);
  return false;
}

bool Compilation::write() {
  TimingScope scope = rootScope.nest("emit");
  auto emit = [&](LogicalResult (*emitter)(ModuleOp, const HostOptions &,
                                           llvm::raw_ostream &)) {
    return writeOutputFile(options.output, [&](llvm::raw_ostream &os) {
      return succeeded(emitter(*modules.front(), options.host, os));
    });
  };
  switch (options.outputKind) {
  case OutputKind::Stage:
    return writeModule(options.output);
  case OutputKind::LLVMIR:
    return emit(emitLLVM);
  case OutputKind::Assembly:
    return emit(emitAssembly);
  case OutputKind::Object:
    return emit(emitObject);
  case OutputKind::SharedObject:
    return writeSharedObject();
  }
  return false;
}

ExitCode dsc::compile(const CompileOptions &options) {
  return Compilation(options).run();
}
