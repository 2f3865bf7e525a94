#include "passes/fusion/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

using namespace mlir;

void dsc::buildFusionPipeline(OpPassManager &manager,
                              const FusionOptions &options) {
  manager.addPass(createSplitSumsPass());
  // Before regions form: what attention becomes joins them.
  manager.addPass(createExpandAttentionPass());
  manager.addPass(createFormRegionsPass({options.fuse}));
  manager.addPass(createVerifyFusedPass());
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  enum class Fuse { All, None };
  Option<Fuse> fuse{
      *this, "fuse",
      llvm::cl::desc("Which operations share a kernel (default: all)"),
      llvm::cl::init(Fuse::All),
      llvm::cl::values(
          clEnumValN(Fuse::All, "all", "whatever the rules of fusion allow"),
          clEnumValN(Fuse::None, "none", "every operation has its own"))};
};
} // namespace

void dsc::registerFusionPipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "dsc-fusion", "Form the regions that become kernels",
      [](OpPassManager &manager, const PipelineOptions &options) {
        buildFusionPipeline(manager,
                            {options.fuse == PipelineOptions::Fuse::All});
      });
}
