#include "passes/schedule/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

using namespace mlir;

void dsc::buildSchedulePipeline(OpPassManager &manager,
                                const ScheduleOptions &options) {
  manager.addPass(createSplitCollectivesPass());
  if (options.enabled)
    manager.addPass(createAssignInplacePass());
  manager.addPass(createVerifyScheduledPass());
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  enum class Stage { On, Off };
  Option<Stage> stage{
      *this, "stage", llvm::cl::desc("Whether to optimise (default: on)"),
      llvm::cl::init(Stage::On),
      llvm::cl::values(clEnumValN(Stage::On, "on", "update states in place"),
                       clEnumValN(Stage::Off, "off", "keep program order"))};
};
} // namespace

void dsc::registerSchedulePipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "dsc-schedule", "Decide when exchanges begin and end",
      [](OpPassManager &manager, const PipelineOptions &options) {
        buildSchedulePipeline(manager,
                              {options.stage == PipelineOptions::Stage::On});
      });
}
