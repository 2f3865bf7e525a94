#include "compiler/Stages.h"

#include "codegen/host/HostTarget.h"
#include "compiler/Options.h"
#include "mlir/Pass/PassManager.h"

using namespace dsc;

static const StageInfo stages[] = {
    {Stage::Import, "import", "ONNX file to nn ops and parameters", nullptr,
     true},
    {Stage::Normalize, "normalize",
     "symbolic dims bound, shape arithmetic folded, a small op set",
     [](mlir::OpPassManager &pm, const CompileOptions &options) {
       buildNormalizePipeline(pm, options.normalize);
     },
     true},
    {Stage::Differentiate, "differentiate",
     "loss, reverse mode, optimizer; entry points step, update, eval, forward",
     [](mlir::OpPassManager &pm, const CompileOptions &options) {
       buildDifferentiatePipeline(pm, options.differentiate);
     },
     true},
    {Stage::Precision, "precision",
     "master, compute, gradient and accumulation types by policy",
     [](mlir::OpPassManager &pm, const CompileOptions &options) {
       buildPrecisionPipeline(pm, options.precision);
     },
     true},
    {Stage::Fusion, "fusion", "kernels formed as regions",
     [](mlir::OpPassManager &pm, const CompileOptions &options) {
       buildFusionPipeline(pm, options.fusion);
     },
     false},
    {Stage::Partition, "partition",
     "state cut over ranks: groups, gathers, releases, reductions",
     [](mlir::OpPassManager &pm, const CompileOptions &options) {
       buildPartitionPipeline(pm, options.partition);
     },
     true},
    {Stage::Schedule, "schedule", "collectives split into start and await",
     [](mlir::OpPassManager &pm, const CompileOptions &options) {
       buildSchedulePipeline(pm, options.schedule);
     },
     true},
    {Stage::Lower, "lower", "memory planned, streams and events, race check",
     [](mlir::OpPassManager &pm, const CompileOptions &options) {
       buildLowerPipeline(pm, options.lower);
     },
     false},
    {Stage::Codegen, "codegen", "kernels and step programs in the LLVM dialect",
     [](mlir::OpPassManager &pm, const CompileOptions &options) {
       buildHostPipeline(pm, options.host);
     },
     false},
};

llvm::ArrayRef<StageInfo> dsc::getStages() { return stages; }

std::optional<Stage> dsc::lookupStage(llvm::StringRef name) {
  for (const StageInfo &info : stages)
    if (info.name == name)
      return info.stage;
  return std::nullopt;
}
