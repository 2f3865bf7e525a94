#include "compiler/Register.h"

#include "codegen/host/HostTarget.h"
#include "codegen/host/Passes.h"
#include "codegen/kernel/Passes.h"
#include "dialects/exec/ExecOps.h"
#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"
#include "passes/differentiate/Passes.h"
#include "passes/fusion/Passes.h"
#include "passes/lower/Passes.h"
#include "passes/normalize/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/precision/Passes.h"
#include "passes/schedule/Passes.h"

using namespace dsc;

void dsc::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<nn::NnDialect, train::TrainDialect, zero::ZeroDialect,
                  exec::ExecDialect, mlir::func::FuncDialect>();
  registerHostDialects(registry);
}

void dsc::registerPassesAndPipelines() {
  registerDscNormalizePasses();
  registerDscDifferentiatePasses();
  registerDscPrecisionPasses();
  registerDscFusionPasses();
  registerDscPartitionPasses();
  registerDscSchedulePasses();
  registerDscLowerPasses();
  registerDscKernelPasses();
  registerDscHostPasses();
  registerNormalizePipeline();
  registerDifferentiatePipeline();
  registerPrecisionPipeline();
  registerFusionPipeline();
  registerPartitionPipeline();
  registerSchedulePipeline();
  registerLowerPipeline();
  registerHostPipeline();
  mlir::registerTransformsPasses();
}
