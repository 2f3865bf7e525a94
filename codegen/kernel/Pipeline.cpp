#include "codegen/kernel/Passes.h"

#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void dsc::buildKernelPipeline(OpPassManager &modulePasses) {
  modulePasses.addPass(createHoistConstantsPass());
  // Functions are independent from here on, so they compile on all cores.
  OpPassManager &passes = modulePasses.nest<func::FuncOp>();
  passes.addPass(createLowerScatterPass());
  passes.addPass(createConvertNnToLinalgPass());
  passes.addPass(createFuseLoopsPass());
  passes.addPass(createCollapseLoopsPass());
  passes.addPass(createTileGridPass());
  passes.addPass(createConvertLinalgToLoopsPass());
  passes.addPass(createApproximateMathPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(createCSEPass());
}

void dsc::registerKernelPipeline() {
  PassPipelineRegistration<>(
      "dsc-kernel", "Turn kernels of nn operations into loops on buffers",
      buildKernelPipeline);
}
