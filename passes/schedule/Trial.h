// What a set of decisions would make of an entry: it is applied to a clone, and
// the clone is measured by the cost model and the planner.

#ifndef DSC_PASSES_SCHEDULE_TRIAL_H
#define DSC_PASSES_SCHEDULE_TRIAL_H

#include "passes/analysis/StepEstimate.h"
#include "passes/schedule/Passes.h"
#include "passes/schedule/RecomputeCandidates.h"

namespace dsc {

/// The decisions of one entry, by ordinal of what they are about.
struct Decisions {
  /// For each start: whether it takes what the previous gather brought.
  llvm::SmallVector<bool> reuses;
  /// For each start: regions between it and its await.
  llvm::SmallVector<int64_t> distances;
  /// For each candidate of recomputation: whether it is recomputed.
  llvm::SmallVector<bool> recomputes;
  /// For each start: whether it travels with the one of its kind before it.
  llvm::SmallVector<bool> joins;
};

/// One exchange in an entry with decisions applied.
struct TrialExchange {
  /// False: it is no longer there.
  bool exists = false;
  /// On the communication stream, in seconds from the begin of the entry.
  double begin = 0, end = 0;
  /// For how long computation waits for it.
  double exposed = 0;
  /// Regions ahead of start and await.
  unsigned startRegion = 0, awaitRegion = 0;
  /// Whether it travels with the one before it.
  bool joined = false;
};

struct Trial {
  double seconds = 0;
  int64_t bytes = 0; ///< Of the arena.
  /// Most gathered elements alive at once, and most gathered ahead of use.
  int64_t liveElements = 0, aheadElements = 0;
  llvm::SmallVector<TrialExchange> exchanges; ///< By start.
  /// For each region, and for the end: when it begins, and when it would if
  /// computation waited for nothing.
  llvm::SmallVector<double> begins, work;
  StepEstimate estimate;
};

/// Tries decisions on one entry, which it does not change.
class EntryTrials {
public:
  EntryTrials(train::EntryOp entry, const StateMap &states,
              const ScheduleOptions &options);

  /// Nothing if the entry cannot be measured, which is reported. `exact`: by
  /// the planner; else `bytes` is what no plan can do with less than.
  std::optional<Trial> run(const Decisions &decisions, bool exact);
  /// Exact where a limit has to hold.
  std::optional<Trial> run(const Decisions &decisions) {
    return run(decisions, options.memoryLimit.has_value());
  }

  /// Annotates `target`, the entry or a clone of it.
  void annotate(train::EntryOp target, const Decisions &decisions) const;

  /// The start of an exchange, by ordinal.
  llvm::ArrayRef<mlir::Operation *> getStarts() const { return starts; }
  /// Whether an exchange brings tensors without being given any.
  bool isGather(unsigned start) const;
  /// Elements that it brings or takes.
  int64_t getElements(unsigned start) const { return elements[start]; }
  llvm::ArrayRef<RecomputeCandidate> getCandidates() const {
    return candidates;
  }
  /// Decisions that change nothing.
  Decisions getNone() const;
  /// How many were tried.
  unsigned getCount() const { return count; }
  /// Of the entry; what a trial takes grows with it.
  unsigned getOperationCount() const {
    return entry->getRegion(0).front().getOperations().size();
  }

private:
  void measure(train::EntryOp applied, llvm::ArrayRef<mlir::Operation *> starts,
               Trial &trial) const;
  void measureWaits(train::EntryOp applied,
                    const llvm::DenseMap<mlir::Operation *, unsigned> &ordinals,
                    Trial &trial) const;

  train::EntryOp entry;
  const StateMap &states;
  const ScheduleOptions &options;
  llvm::SmallVector<mlir::Operation *> starts;
  llvm::SmallVector<int64_t> elements;
  std::vector<RecomputeCandidate> candidates;
  /// Ordinals of the regions of each candidate.
  std::vector<llvm::SmallVector<unsigned>> candidateRegions;
  unsigned count = 0;
};

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_TRIAL_H
