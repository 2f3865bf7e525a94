#include "passes/lower/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

using namespace mlir;

void dsc::buildLowerPipeline(OpPassManager &manager,
                             const LowerOptions &options) {
  manager.addPass(createBuildProgramsPass({options.maxWorld, options.unit}));
  manager.addPass(createVerifyLoweredPass());
  if (options.poisonFreed) {
    manager.addPass(createPoisonArenaPass());
    manager.addPass(createVerifyLoweredPass());
  }
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<int64_t> maxWorld{
      *this, "max-world",
      llvm::cl::desc("Most ranks that the module can run on (default: 1024)"),
      llvm::cl::init(1024)};
  Option<bool> poisonFreed{
      *this, "poison-freed",
      llvm::cl::desc("Fill memory with NaN where it is freed (default: off)"),
      llvm::cl::init(false)};
};
} // namespace

void dsc::registerLowerPipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "dsc-lower", "Turn entries into programs over a planned arena",
      [](OpPassManager &manager, const PipelineOptions &options) {
        LowerOptions lower;
        lower.maxWorld = options.maxWorld;
        lower.poisonFreed = options.poisonFreed;
        buildLowerPipeline(manager, lower);
      });
}
