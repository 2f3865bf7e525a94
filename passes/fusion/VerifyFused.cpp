#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "passes/fusion/Passes.h"

namespace dsc {
#define GEN_PASS_DEF_VERIFYFUSEDPASS
#include "passes/fusion/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// The kind of the operation that a region of this name is built around.
std::optional<FusionKind> getCoreKind(StringRef name) {
  if (name == "scalar")
    return FusionKind::Elementwise;
  for (FusionKind kind :
       {FusionKind::Elementwise, FusionKind::Transpose, FusionKind::Reduction,
        FusionKind::Row, FusionKind::Index, FusionKind::Scatter,
        FusionKind::Contraction})
    if (name == stringifyFusionKind(kind))
      return kind;
  return std::nullopt;
}

LogicalResult verifyScalar(nn::FusionOp fusion) {
  auto isScalar = [](Type type) {
    return cast<ShapedType>(type).getRank() == 0;
  };
  for (Operation &op : *fusion.getBody())
    if (!llvm::all_of(op.getOperandTypes(), isScalar) ||
        !llvm::all_of(op.getResultTypes(), isScalar)) // F6
      return op.emitError("(F6) works on a tensor in a 'scalar' region");
  return success();
}

/// Whether an operation of kind `kind` may stand beside the core of a region.
bool isGuest(FusionKind kind, FusionKind core) {
  switch (core) {
  case FusionKind::Contraction:
  case FusionKind::Scatter:
    return false;
  case FusionKind::Row:
  case FusionKind::Reduction:
    if (kind == FusionKind::Elementwise)
      return true;
    [[fallthrough]];
  default:
    return kind == FusionKind::Constant || kind == FusionKind::Broadcast;
  }
}

LogicalResult verifyRegion(nn::FusionOp fusion) {
  StringRef name = fusion.getKind().value_or("");
  std::optional<FusionKind> core = getCoreKind(name);
  if (!core) // F2
    return fusion.emitOpError("(F2) has no known kind: '") << name << "'";
  unsigned cores = 0;
  for (Operation &op : fusion.getBody()->without_terminator()) {
    auto fusible = dyn_cast<FusionOpInterface>(op);
    if (!fusible || fusible.getFusionKind() == FusionKind::View) // F3
      return op.emitError("(F3) does not belong into a region");
    FusionKind kind = fusible.getFusionKind();
    bool isCore = kind == *core;
    if (!isCore && !isGuest(kind, *core)) // F4, F5
      return op.emitError(*core == FusionKind::Elementwise ? "(F4)" : "(F5)")
             << " is of kind '" << stringifyFusionKind(kind)
             << "' and does not belong into a region of kind '" << name << "'";
    cores += isCore;
  }
  if (*core != FusionKind::Elementwise && cores != 1) // F5
    return fusion.emitOpError("(F5) of kind '")
           << name << "' holds " << cores << " operations of that kind";
  return name == "scalar" ? verifyScalar(fusion) : success();
}

LogicalResult verifyOutside(Operation &op) {
  auto fusible = dyn_cast<FusionOpInterface>(op);
  bool isView = fusible && fusible.getFusionKind() == FusionKind::View;
  bool isNn = isa_and_nonnull<nn::NnDialect>(op.getDialect());
  if ((fusible || isNn) && !isView) // F1
    return op.emitError("(F1) stands outside of any region");
  return success();
}

struct VerifyFusedPass : dsc::impl::VerifyFusedPassBase<VerifyFusedPass> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<train::EntryOp>())
      for (Operation &op : entry.getBody().front()) {
        auto fusion = dyn_cast<nn::FusionOp>(op);
        if (failed(fusion ? verifyRegion(fusion) : verifyOutside(op)))
          signalPassFailure();
      }
  }
};

} // namespace
