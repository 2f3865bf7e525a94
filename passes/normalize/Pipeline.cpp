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
  // Views first: the patterns of all that follows then meet plain operands.
  pm.addPass(createResolveShapeOpsPass());
  // One spelling of what exporters write in several: raising sees a square as a
  // product, transposes inside matmul, and equal values as one.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // Softmax before what is made of it. Raising precedes decomposition, which
  // takes means apart.
  pm.addPass(createRaiseSoftmaxPass());
  pm.addPass(createRaiseLayerNormPass());
  pm.addPass(createRaiseGeluPass());
  pm.addPass(createRaiseCrossEntropyPass());
  pm.addPass(createRaiseAttentionPass());
  pm.addPass(createDecomposeOpsPass());
  // Needed for speed only: duplicates, what the above left without a use, and
  // views between operations that could share a kernel.
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createSinkReshapesPass());
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
