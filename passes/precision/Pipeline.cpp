#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "passes/precision/Passes.h"

using namespace mlir;
using namespace dsc;

//===----------------------------------------------------------------------===//
// dsc-precision
//===----------------------------------------------------------------------===//

void dsc::buildPrecisionPipeline(OpPassManager &pm,
                                 const PrecisionOptions &options) {
  AssignTypesPassOptions assign;
  assign.policy = options.policy;
  pm.addPass(createAssignTypesPass(assign));

  VerifyPrecisionPassOptions verify;
  verify.policy = options.policy;
  pm.addPass(createVerifyPrecisionPass(verify));
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> policy{*this, "policy",
                             llvm::cl::desc("f32 or f64; default f32"),
                             llvm::cl::init("f32")};
};
} // namespace

void dsc::registerPrecisionPipeline() {
  PassPipelineRegistration<PipelineOptions>(
      "dsc-precision", "The type of each tensor, by policy",
      [](OpPassManager &pm, const PipelineOptions &options) {
        buildPrecisionPipeline(pm, {options.policy});
      });
}
