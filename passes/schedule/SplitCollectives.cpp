#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"
#include "passes/schedule/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace dsc {
#define GEN_PASS_DEF_SPLITCOLLECTIVESPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// Replaces one collective by its start and await; leaves others alone.
void split(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type token = builder.getType<zero::TokenType>();
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](zero::GatherOp gather) {
        auto start = zero::GatherStartOp::create(
            builder, loc, token, gather.getGroupAttr(), gather.getAxisAttr());
        auto await = zero::GatherAwaitOp::create(
            builder, loc, gather.getResultTypes(), start.getToken());
        gather.replaceAllUsesWith(await.getResults());
        gather.erase();
      })
      .Case([&](zero::ReduceScatterOp scatter) {
        auto start = zero::ReduceScatterStartOp::create(
            builder, loc, token, scatter.getGroupAttr(), scatter.getGradients(),
            scatter.getAxisAttr());
        zero::ReduceScatterAwaitOp::create(builder, loc, start.getToken());
        scatter.erase();
      })
      .Case([&](zero::AllReduceGradientsOp reduce) {
        auto start = zero::AllReduceGradientsStartOp::create(
            builder, loc, token, reduce.getGroupAttr(), reduce.getAxisAttr());
        zero::AllReduceGradientsAwaitOp::create(builder, loc, start.getToken());
        reduce.erase();
      })
      .Case([&](zero::ReduceGradientsOp reduce) {
        auto start = zero::ReduceGradientsStartOp::create(
            builder, loc, token, reduce.getGroupAttr(), reduce.getAxisAttr());
        zero::ReduceGradientsAwaitOp::create(builder, loc, start.getToken());
        reduce.erase();
      })
      .Case([&](zero::RefreshOp refresh) {
        auto start = zero::RefreshStartOp::create(
            builder, loc, token, refresh.getGroupAttr(), refresh.getAxisAttr());
        zero::RefreshAwaitOp::create(builder, loc, start.getToken());
        refresh.erase();
      })
      .Case([&](zero::AllReduceOp reduce) {
        auto start = zero::AllReduceStartOp::create(
            builder, loc, token, reduce.getValues(), reduce.getAxisAttr());
        auto await = zero::AllReduceAwaitOp::create(
            builder, loc, reduce.getResultTypes(), start.getToken());
        reduce.replaceAllUsesWith(await.getResults());
        reduce.erase();
      });
}

struct SplitCollectivesPass
    : dsc::impl::SplitCollectivesPassBase<SplitCollectivesPass> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<train::EntryOp>())
      for (Operation &op : llvm::make_early_inc_range(entry.getBody().front()))
        split(&op);
  }
};

} // namespace
