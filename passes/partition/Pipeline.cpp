#include "passes/partition/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

using namespace mlir;

void dsc::buildPartitionPipeline(OpPassManager &manager,
                                 const PartitionOptions &options) {
  FormGroupsPassOptions groups;
  groups.stage = options.zeroStage;
  groups.groupBytes = options.groupBytes;
  groups.maxWorld = options.maxWorld;
  groups.persistenceThreshold = options.persistenceThreshold;
  groups.bucketElements = options.bucketElements;
  manager.addPass(createFormGroupsPass(groups));
  manager.addPass(createInsertGathersPass());
  manager.addPass(createReduceGradientsPass());
  // Which numbers are shares is only known once update works on parts.
  manager.addPass(createShardUpdatePass());
  manager.addPass(createRefreshParametersPass());
  manager.addPass(createReduceScalarsPass());
  manager.addPass(createVerifyPartitionedPass());
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  dsc::PartitionOptions defaults;
  Option<int64_t> zero{*this, "zero",
                       llvm::cl::desc("ZeRO stage, 0 to 3 (default: 0)"),
                       llvm::cl::init(defaults.zeroStage)};
  Option<int64_t> groupBytes{
      *this, "group-bytes",
      llvm::cl::desc("Bytes at which a group of tensors without a layer "
                     "closes (default: 64 MiB)"),
      llvm::cl::init(defaults.groupBytes)};
  Option<int64_t> maxWorld{
      *this, "max-world",
      llvm::cl::desc("Largest number of ranks (default: 1024)"),
      llvm::cl::init(defaults.maxWorld)};
  Option<int64_t> persistenceThreshold{
      *this, "persistence-threshold",
      llvm::cl::desc("Elements up to which a parameter stays whole at stage 3 "
                     "(default: 0, none does)"),
      llvm::cl::init(defaults.persistenceThreshold)};
  Option<int64_t> bucketElements{
      *this, "bucket-elements",
      llvm::cl::desc("Elements at which a layer's group closes (default: 0, no "
                     "bound)"),
      llvm::cl::init(defaults.bucketElements)};
};
} // namespace

void dsc::registerPartitionPipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "dsc-partition", "Cut the state over ranks and insert the exchanges",
      [](OpPassManager &manager, const PipelineOptions &options) {
        buildPartitionPipeline(
            manager, {options.zero, options.groupBytes, options.maxWorld,
                      options.persistenceThreshold, options.bucketElements});
      });
}
