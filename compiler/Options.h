#ifndef DSC_COMPILER_OPTIONS_H
#define DSC_COMPILER_OPTIONS_H

#include "codegen/host/HostTarget.h"
#include "compiler/Stages.h"
#include "compiler/import/onnx/OnnxImporter.h"
#include "compiler/plan/PrintPlan.h"
#include "compiler/simulate/PrintSimulation.h"
#include "passes/differentiate/Passes.h"
#include "passes/fusion/Passes.h"
#include "passes/lower/Passes.h"
#include "passes/normalize/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/precision/Passes.h"
#include "passes/schedule/Passes.h"
#include "runtime/machine/Machine.h"
#include <optional>
#include <string>

namespace dsc {

/// What `dsc` writes in the end.
enum class OutputKind { Stage, LLVMIR, Assembly, Object, SharedObject };

/// Everything that one compilation needs, one struct a stage. Filled once, by
/// the command line, and never changed afterwards.
struct CompileOptions {
  /// ONNX file to read.
  std::string model;
  /// File to write; "-" is standard output, and empty, which only options that
  /// inspect programs allow, none. The module's weights are written beside it,
  /// with `.so` replaced by `.weights.safetensors`.
  std::string output;
  OutputKind outputKind = OutputKind::SharedObject;
  /// Last stage to run when `outputKind` is Stage.
  Stage lastStage = Stage::Codegen;
  /// Stages, by regular expression, whose remarks are printed; empty = none.
  std::string remarks;
  /// Folder for one numbered .mlir file a stage; empty = none.
  std::string dumpStages;
  /// Print every parameter with its role and the reason, and stop.
  bool listParameters = false;
  /// Size of the dimension that counts samples; 0: as bound elsewhere.
  uint64_t microBatch = 0;
  /// What to print of the memory and the wire of one rank.
  PlanOptions plan;
  /// What to predict of time.
  SimulateOptions simulate;
  /// Machine to predict for; none: the figures that dsc is built with.
  std::optional<runtime::Machine> machine;

  /// Whether something is printed of the programs, which then need no module.
  bool inspectsPrograms() const { return plan.enabled || simulate.isAsked(); }

  OnnxImportOptions import;
  NormalizeOptions normalize;
  DifferentiateOptions differentiate;
  PrecisionOptions precision;
  FusionOptions fusion;
  PartitionOptions partition;
  ScheduleOptions schedule;
  LowerOptions lower;
  HostOptions host;
};

/// The weights file beside a module: `M.so` has `M.weights.safetensors`.
std::string getWeightsPath(llvm::StringRef module);

} // namespace dsc

#endif // DSC_COMPILER_OPTIONS_H
