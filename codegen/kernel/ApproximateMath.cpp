#include "codegen/kernel/Kernel.h"
#include "codegen/kernel/Passes.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace dsc {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "codegen/kernel/Passes.h.inc"
} // namespace dsc

using namespace mlir;

namespace {

struct ApproximateMath
    : public dsc::impl::ApproximateMathPassBase<ApproximateMath> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!dsc::kernel::isKernel(function))
      return;
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns);
    if (failed(applyPatternsGreedily(function, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
