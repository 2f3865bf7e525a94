#include "dialects/interfaces/FusionOpInterface.h"
#include "dialects/nn/NnOps.h"
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

/// The contributions to the gradients of one group in an entry. A tied tensor
/// has one for each of its uses.
struct GroupGradients {
  /// By tensor, in program order.
  llvm::MapVector<StringAttr, SmallVector<train::GradientOp, 1>> byTensor;
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
      gradients.byTensor[tensor].push_back(gradient);
      gradients.last = gradient;
    }
    for (auto &[op, gradients] : groups) {
      auto group = cast<zero::GroupOp>(op);
      if (group.getStage() < 2) {
        if (entry.getKind() == train::EntryKind::StepLast)
          reduceWhole(group, gradients.last);
      } else if (failed(reduceTogether(group, gradients, entry.getKind()))) {
        return failure();
      }
    }
    return success();
  }

  /// Gradients stay whole until the last micro-batch has added its own. At
  /// stage 1 a rank needs the sum of its own part alone.
  void reduceWhole(zero::GroupOp group, train::GradientOp last) {
    OpBuilder builder(last);
    builder.setInsertionPointAfter(last);
    if (group.getStage() == 0)
      zero::AllReduceGradientsOp::create(builder, last.getLoc(), nameOf(group),
                                         worldAxis());
    else
      zero::ReduceGradientsOp::create(builder, last.getLoc(), nameOf(group),
                                      worldAxis());
  }

  /// One message for the group, once its last gradient is there.
  LogicalResult reduceTogether(zero::GroupOp group,
                               const GroupGradients &gradients,
                               train::EntryKind kind) {
    SmallVector<Value> values;
    for (zero::SegmentAttr segment : group.getSegmentRange()) {
      auto it = gradients.byTensor.find(segment.getTensor().getAttr());
      if (it == gradients.byTensor.end())
        return group.emitOpError("has no gradient of ")
               << segment.getTensor() << " in an entry of kind '"
               << stringifyEntryKind(kind) << "'";
      values.push_back(addUp(it->second));
    }
    train::GradientOp last = gradients.last;
    OpBuilder builder(last);
    builder.setInsertionPointAfter(last);
    zero::ReduceScatterOp::create(builder, last.getLoc(), nameOf(group), values,
                                  worldAxis());
    for (const auto &[tensor, contributions] : gradients.byTensor)
      for (train::GradientOp gradient : contributions)
        gradient->erase();
    return success();
  }

  /// The sum of the contributions to one gradient, in program order.
  static Value addUp(ArrayRef<train::GradientOp> contributions) {
    train::GradientOp first = contributions.front();
    Value sum = first.getValue();
    for (train::GradientOp gradient : contributions.drop_front()) {
      OpBuilder builder(gradient);
      Location loc = gradient.getLoc();
      auto fusion = nn::FusionOp::create(
          builder, loc, sum.getType(), ValueRange{sum, gradient.getValue()},
          stringifyFusionKind(FusionKind::Elementwise));
      OpBuilder body = OpBuilder::atBlockEnd(fusion.getBody());
      Value added = nn::AddOp::create(body, loc, fusion.getBodyArgument(0),
                                      fusion.getBodyArgument(1));
      nn::YieldOp::create(body, loc, added);
      sum = fusion.getResult(0);
    }
    return sum;
  }

  static FlatSymbolRefAttr nameOf(zero::GroupOp group) {
    return FlatSymbolRefAttr::get(group.getSymNameAttr());
  }
  FlatSymbolRefAttr worldAxis() {
    return FlatSymbolRefAttr::get(&getContext(), zero::kWorldAxis);
  }
};

} // namespace
