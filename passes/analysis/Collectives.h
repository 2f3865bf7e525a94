// The exchanges between ranks that an entry begins, as data.

#ifndef DSC_PASSES_ANALYSIS_COLLECTIVES_H
#define DSC_PASSES_ANALYSIS_COLLECTIVES_H

#include "dialects/train/TrainOps.h"
#include "dialects/zero/ZeroOps.h"

namespace dsc {

/// One exchange. Two ranks that issue equal lists of these cannot deadlock.
struct Collective {
  mlir::Operation *op;
  llvm::StringRef name;
  mlir::StringAttr axis;
  /// Null for loose values.
  mlir::StringAttr group;
  int64_t bytes;

  bool operator==(const Collective &other) const {
    return name == other.name && axis == other.axis && group == other.group &&
           bytes == other.bytes;
  }
};

/// All exchanges of an entry in program order, in value or async form.
llvm::SmallVector<Collective> listCollectives(train::EntryOp entry);

/// The starts that travel in one message with `first`, it included.
template <typename StartOp>
llvm::SmallVector<StartOp> getMessage(StartOp first) {
  llvm::SmallVector<StartOp> starts{first};
  for (auto next = llvm::dyn_cast<StartOp>(first->getNextNode());
       next && next->hasAttr(zero::kJoinAttrName);
       next = llvm::dyn_cast<StartOp>(next->getNextNode()))
    starts.push_back(next);
  return starts;
}

/// Whether the exchange sums gradients that are whole on every rank, which only
/// the last micro-batch before an update does.
bool isReductionOfWhole(mlir::Operation *op);

/// Checks that `step` and `step_last` begin the same exchanges, apart from the
/// reduction of whole gradients. Ranks cannot disagree on which of the two
/// runs, but the last micro-batch must compute what the others do.
mlir::LogicalResult verifyEqualSteps(mlir::ModuleOp module);

/// Checks the lives of gathered tensors in an entry: each gather is released
/// exactly once, and nothing reads its tensors or views of them afterwards.
mlir::LogicalResult verifyGatherLifetimes(train::EntryOp entry);

/// Checks that an entry is one straight list: no operation but nn.fusion has a
/// region, and none has successors.
mlir::LogicalResult verifyNoBranch(train::EntryOp entry);

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_COLLECTIVES_H
