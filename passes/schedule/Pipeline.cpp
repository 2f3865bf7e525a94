#include "passes/schedule/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

using namespace mlir;

void dsc::buildSchedulePipeline(OpPassManager &manager,
                                const ScheduleOptions &options) {
  manager.addPass(createSplitCollectivesPass());
  if (options.offload == ScheduleOptions::Offload::All)
    manager.addPass(createMarkOffloadedPass());
  if (options.enabled) {
    manager.addPass(createAssignInplacePass());
    if (options.recompute == ScheduleOptions::Recompute::Blocks)
      manager.addPass(createMarkBlocksPass());
    if (options.randomSeed)
      manager.addPass(createRandomizePass({*options.randomSeed}));
    else
      manager.addPass(createDecidePass(options));
    manager.addPass(createRecomputePass());
    manager.addPass(createKeepGatheredPass());
  }
  // Where states lie is no matter of speed alone, so it holds in any case.
  manager.addPass(
      createOffloadStatesPass({options.enabled && options.overlap}));
  if (options.enabled) {
    manager.addPass(createMoveCollectivesPass());
    manager.addPass(createJoinCollectivesPass(
        {options.messages.gatherElements, options.messages.reduceElements}));
  }
  manager.addPass(createRecordPlanPass());
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
  using Recompute = dsc::ScheduleOptions::Recompute;
  Option<Recompute> recompute{
      *this, "recompute",
      llvm::cl::desc("What backward computes again (default: none)"),
      llvm::cl::init(Recompute::None),
      llvm::cl::values(
          clEnumValN(Recompute::None, "none", "nothing"),
          clEnumValN(Recompute::Blocks, "blocks", "the inside of each layer"),
          clEnumValN(Recompute::Auto, "auto", "what a memory limit asks for"))};
  Option<uint64_t> randomSeed{
      *this, "random-seed",
      llvm::cl::desc("Decide by chance, for tests (default: by cost)")};
  using Offload = dsc::ScheduleOptions::Offload;
  Option<Offload> offload{
      *this, "offload-optimizer",
      llvm::cl::desc("Which states of the optimizer lie outside of memory "
                     "(default: none)"),
      llvm::cl::init(Offload::None),
      llvm::cl::values(
          clEnumValN(Offload::None, "none", "none"),
          clEnumValN(Offload::All, "all", "all"),
          clEnumValN(Offload::Auto, "auto", "what a memory limit asks for"))};
};
} // namespace

void dsc::registerSchedulePipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "dsc-schedule", "Decide when exchanges begin and end",
      [](OpPassManager &manager, const PipelineOptions &options) {
        ScheduleOptions schedule;
        schedule.enabled = options.stage == PipelineOptions::Stage::On;
        schedule.recompute = options.recompute;
        schedule.offload = options.offload;
        if (options.randomSeed.hasValue())
          schedule.randomSeed = options.randomSeed;
        buildSchedulePipeline(manager, schedule);
      });
}
