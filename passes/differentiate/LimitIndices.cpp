#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/differentiate/Names.h"
#include "passes/differentiate/Passes.h"
#include "llvm/ADT/DenseSet.h"

namespace dsc {
#define GEN_PASS_DEF_LIMITINDICESPASS
#include "passes/differentiate/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {
class LimitIndicesPass
    : public dsc::impl::LimitIndicesPassBase<LimitIndicesPass> {
public:
  using LimitIndicesPassBase::LimitIndicesPassBase;
  void runOnOperation() override;
};
} // namespace

/// The integer inputs all of whose elements, and no others, become `value`.
static SmallVector<BlockArgument> findInputs(Value value) {
  SmallVector<BlockArgument> inputs;
  SmallVector<Value> pending = {value};
  llvm::DenseSet<Value> seen;
  while (!pending.empty()) {
    Value next = pending.pop_back_val();
    if (!isa<IntegerType>(getElementTypeOrSelf(next.getType())) ||
        !seen.insert(next).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(next))
      inputs.push_back(argument);
    else if (isa<nn::ReshapeOp, nn::TransposeOp, nn::BroadcastOp, nn::CastOp,
                 nn::ConcatOp>(next.getDefiningOp()))
      llvm::append_range(pending, next.getDefiningOp()->getOperands());
  }
  return inputs;
}

static void limitInputs(func::FuncOp forward, Value indices, int64_t rows) {
  Builder builder(forward.getContext());
  for (BlockArgument input : findInputs(indices)) {
    auto old = forward.getArgAttrOfType<IntegerAttr>(input.getArgNumber(),
                                                     names::indexLimitAttr);
    forward.setArgAttr(
        input.getArgNumber(), names::indexLimitAttr,
        builder.getI64IntegerAttr(old ? std::min(old.getInt(), rows) : rows));
  }
}

/// Takes the limit from inputs that the model compares with a number out of
/// range: it deals with that number itself, as with a label that is ignored.
static void liftLimits(func::FuncOp forward, nn::CompareOp compare) {
  for (auto [value, other] : {std::pair(compare.getLhs(), compare.getRhs()),
                              std::pair(compare.getRhs(), compare.getLhs())}) {
    DenseIntElementsAttr number;
    if (!matchPattern(other, m_Constant(&number)) || !number.isSplat())
      continue;
    int64_t mark = number.getSplatValue<APInt>().getSExtValue();
    for (BlockArgument input : findInputs(value)) {
      auto limit = forward.getArgAttrOfType<IntegerAttr>(input.getArgNumber(),
                                                         names::indexLimitAttr);
      if (limit && (mark < -limit.getInt() || mark >= limit.getInt()))
        forward.removeArgAttr(input.getArgNumber(), names::indexLimitAttr);
    }
  }
}

void LimitIndicesPass::runOnOperation() {
  auto forward = getOperation().lookupSymbol<func::FuncOp>(names::forward);
  if (!forward) {
    getOperation().emitError("expects the model as func.func @forward");
    return signalPassFailure();
  }
  forward.walk([&](nn::GatherOp gather) {
    limitInputs(forward, gather.getIndices(),
                gather.getData().getType().getDimSize(gather.getDim()));
  });
  forward.walk([&](nn::ScatterAddOp scatter) {
    limitInputs(forward, scatter.getIndices(),
                scatter.getResult().getType().getDimSize(0));
  });
  forward.walk([&](nn::CompareOp compare) { liftLimits(forward, compare); });
}
