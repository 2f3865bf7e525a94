#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"
#include "passes/analysis/StateAccess.h"
#include "passes/partition/Passes.h"

#include "llvm/ADT/MapVector.h"

namespace dsc {
#define GEN_PASS_DEF_REDUCEGRADIENTSPASS
#include "passes/partition/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// The gradients of one group in an entry, by tensor.
struct GroupGradients {
  llvm::DenseMap<StringAttr, train::GradientOp> byTensor;
  train::GradientOp last;
};

struct ReduceGradientsPass
    : dsc::impl::ReduceGradientsPassBase<ReduceGradientsPass> {
  void runOnOperation() override {
    StateMap states(getOperation());
    for (auto entry : getOperation().getOps<train::EntryOp>())
      if (entry.isStep() && failed(reduceGradients(entry, states)))
        return signalPassFailure();
  }

  LogicalResult reduceGradients(train::EntryOp entry, const StateMap &states) {
    llvm::MapVector<Operation *, GroupGradients> groups;
    for (auto gradient : entry.getBody().front().getOps<train::GradientOp>()) {
      StringAttr tensor = gradient.getParameterAttr().getAttr();
      zero::GroupOp group = states.getGroupOf(tensor);
      if (!group) // An empty tensor has nothing to sum.
        continue;
      GroupGradients &gradients = groups[group];
      if (!gradients.byTensor.try_emplace(tensor, gradient).second)
        return gradient.emitOpError("is the second gradient of @")
               << tensor.getValue() << " in this entry";
      gradients.last = gradient;
    }
    for (auto &[group, gradients] : groups)
      if (failed(reduceGroup(cast<zero::GroupOp>(group), gradients,
                             entry.getKind())))
        return failure();
    return success();
  }

  LogicalResult reduceGroup(zero::GroupOp group,
                            const GroupGradients &gradients,
                            train::EntryKind kind) {
    train::GradientOp last = gradients.last;
    OpBuilder builder(last);
    builder.setInsertionPointAfter(last);
    auto name = FlatSymbolRefAttr::get(group.getSymNameAttr());
    auto axis = FlatSymbolRefAttr::get(builder.getContext(), zero::kWorldAxis);
    if (group.getStage() < 2) {
      if (kind == train::EntryKind::StepLast)
        zero::AllReduceGradientsOp::create(builder, last.getLoc(), name, axis);
      return success();
    }

    SmallVector<Value> values;
    for (zero::SegmentAttr segment : group.getSegmentRange()) {
      auto gradient = gradients.byTensor.lookup(segment.getTensor().getAttr());
      if (!gradient)
        return group.emitOpError("has no gradient of ")
               << segment.getTensor() << " in an entry of kind '"
               << stringifyEntryKind(kind) << "'";
      values.push_back(gradient.getValue());
    }
    zero::ReduceScatterOp::create(builder, last.getLoc(), name, values, axis);
    for (auto [tensor, gradient] : gradients.byTensor)
      gradient->erase();
    return success();
  }
};

} // namespace
