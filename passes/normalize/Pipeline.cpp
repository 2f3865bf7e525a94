#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/normalize/Passes.h"

using namespace dsc;
using namespace mlir;

void dsc::buildNormalizePipeline(OpPassManager &pm,
                                 const NormalizeOptions &options) {
  // Sizes first: all that follows may rely on static shapes.
  BindDimsPassOptions bindDims;
  bindDims.bind.assign(options.bind.begin(), options.bind.end());
  pm.addPass(createBindDimsPass(bindDims));
  // Views before decomposition, whose patterns then meet plain operands.
  pm.addPass(createResolveShapeOpsPass());
  pm.addPass(createDecomposeOpsPass());
  // Needed for speed only: duplicates and what the above left without a use.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createVerifyNormalizedPass());
}

namespace {
struct NormalizePipelineOptions
    : PassPipelineOptions<NormalizePipelineOptions> {
  ListOption<std::string> bind{
      *this, "bind",
      llvm::cl::desc("sizes: NAME=SIZE for a dim, INPUT=AxBxC for an input")};
};
} // namespace

void dsc::registerNormalizePipeline() {
  PassPipelineRegistration<NormalizePipelineOptions>(
      "dsc-normalize", "Bind shapes and reduce to a small set of operations",
      [](OpPassManager &pm, const NormalizePipelineOptions &options) {
        NormalizeOptions stage;
        stage.bind.assign(options.bind.begin(), options.bind.end());
        buildNormalizePipeline(pm, stage);
      });
}
