#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"
#include "passes/analysis/StateAccess.h"
#include "passes/partition/Passes.h"
#include "passes/partition/Shares.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace dsc {
#define GEN_PASS_DEF_REDUCESCALARSPASS
#include "passes/partition/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// Replaces uses of a rank's shares by sums over ranks. Shares are collected
/// until one is needed; then all that are ready travel in one message.
class ShareReducer {
public:
  ShareReducer(const StateMap &states, train::EntryKind kind)
      : states(states), kind(kind) {}

  void reduce(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (llvm::any_of(op.getOpOperands(), [&](OpOperand &operand) {
            return needsWhole(operand, states, kind) &&
                   ready.contains(operand.get());
          }))
        sendBefore(&op);
      for (Value result : op.getResults())
        if (llvm::any_of(result.getUses(), [&](OpOperand &use) {
              return needsWhole(use, states, kind);
            }))
          ready.insert(result);
    }
  }

private:
  void sendBefore(Operation *op) {
    // One message holds values of one type.
    llvm::MapVector<Type, SmallVector<Value>> messages;
    for (Value value : ready)
      messages[getElementTypeOrSelf(value)].push_back(value);
    ready.clear();

    OpBuilder builder(op);
    auto axis = FlatSymbolRefAttr::get(op->getContext(), zero::kWorldAxis);
    for (auto &[type, values] : messages) {
      auto sums = zero::AllReduceOp::create(
          builder, op->getLoc(), TypeRange(ValueRange(values)), values, axis);
      for (auto [value, sum] : llvm::zip(values, sums.getSums()))
        value.replaceUsesWithIf(sum, [&](OpOperand &use) {
          return use.getOwner() != sums && needsWhole(use, states, kind);
        });
    }
  }

  const StateMap &states;
  train::EntryKind kind;
  llvm::SetVector<Value> ready;
};

struct ReduceScalarsPass : dsc::impl::ReduceScalarsPassBase<ReduceScalarsPass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      ShareReducer(states, entry.getKind()).reduce(entry.getBody().front());
  }
};

} // namespace
