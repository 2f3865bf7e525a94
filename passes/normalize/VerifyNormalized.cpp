#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/normalize/Passes.h"
#include "passes/normalize/Patterns.h"
#include "llvm/ADT/StringSet.h"

#define DEBUG_TYPE "normalize-verify"

namespace dsc {
#define GEN_PASS_DEF_VERIFYNORMALIZEDPASS
#include "passes/normalize/Passes.h.inc"
} // namespace dsc

using namespace dsc;
using namespace mlir;

/// N2: arguments and results are known by the user's names.
static LogicalResult verifyNames(func::FuncOp forward) {
  auto check = [&](unsigned count, StringRef kind, auto getName) {
    llvm::StringSet<> seen;
    for (unsigned i = 0; i != count; ++i) {
      StringAttr name = getName(i);
      if (!name)
        return LogicalResult(forward.emitError()
                             << kind << " " << i << " has no dsc.name (N2)");
      if (!seen.insert(name.getValue()).second)
        return LogicalResult(forward.emitError()
                             << kind << " " << i << " has the name of another: "
                             << name << " (N2)");
    }
    return success();
  };
  if (failed(check(forward.getNumArguments(), "argument", [&](unsigned i) {
        return forward.getArgAttrOfType<StringAttr>(i, "dsc.name");
      })))
    return failure();
  return check(forward.getNumResults(), "result", [&](unsigned i) {
    return forward.getResultAttrOfType<StringAttr>(i, "dsc.name");
  });
}

/// N3: nothing but tensors of static shape.
static LogicalResult verifyTypes(Location loc, TypeRange types) {
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return emitError(loc)
             << "has type " << type << ", not a tensor of static shape (N3)";
  }
  return success();
}

static LogicalResult verifyOp(Operation &op) {
  if (failed(verifyTypes(op.getLoc(), op.getResultTypes())))
    return failure();
  if (isa<train::ReadOp, func::ReturnOp>(op))
    return success();
  // Operations of import form cannot be fused, which is how they are known.
  if (op.getName().getDialectNamespace() != "nn" || op.getNumRegions() != 0 ||
      !isa<FusionOpInterface>(op))
    return op.emitOpError("does not belong to normal form (N4)");
  if (auto matmul = dyn_cast<nn::MatmulOp>(op);
      matmul &&
      getBatchShape(matmul.getLhs()) != getBatchShape(matmul.getRhs()))
    return op.emitOpError("has operands of different batch dims (N5)");
  auto verifyDim = [&](auto softmax) -> LogicalResult {
    if (int64_t(softmax.getDim()) == softmax.getType().getRank() - 1)
      return success();
    return op.emitOpError("does not run along the last dim (N6)");
  };
  if (auto norm = dyn_cast<nn::LayerNormOp>(op);
      norm && norm.getScale().getType().getRank() != 1)
    return op.emitOpError("does not run along the last dim alone (N6)");
  if (auto softmax = dyn_cast<nn::SoftmaxOp>(op))
    return verifyDim(softmax);
  if (auto softmax = dyn_cast<nn::LogSoftmaxOp>(op))
    return verifyDim(softmax);
  return success();
}

namespace {
struct VerifyNormalizedPass
    : dsc::impl::VerifyNormalizedPassBase<VerifyNormalizedPass> {
  using VerifyNormalizedPassBase::VerifyNormalizedPassBase;

  void runOnOperation() override {
    if (failed(verifyModule()))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult verifyModule() {
    ModuleOp module = getOperation();
    auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
    if (functions.size() != 1 || functions.front().getName() != "forward" ||
        !functions.front().getBody().hasOneBlock())
      return module.emitError(
          "needs exactly one function, 'forward', of one block (N1)");
    func::FuncOp forward = functions.front();
    if (failed(verifyNames(forward)) ||
        failed(verifyTypes(forward.getLoc(), forward.getArgumentTypes())))
      return failure();
    bool ok = true;
    for (Operation &op : forward.getBody().front())
      ok &= succeeded(verifyOp(op));
    return success(ok);
  }
};
} // namespace
