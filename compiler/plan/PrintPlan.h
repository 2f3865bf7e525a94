#ifndef DSC_COMPILER_PLAN_PRINTPLAN_H
#define DSC_COMPILER_PLAN_PRINTPLAN_H

#include "compiler/plan/DecisionTable.h"
#include "compiler/plan/RankPlan.h"

namespace dsc {

/// How `dsc --plan` prints.
struct PlanOptions {
  bool enabled = false;
  /// Also every operation of every entry point with the bytes in use there.
  bool verbose = false;
  bool json = false;
  /// Also when each collective starts and is waited for.
  bool schedule = false;
  /// Ranks that are planned for, and their shares; empty: equal ones.
  uint32_t ranks = 1;
  std::vector<uint32_t> shardWeights;
};

/// Tables for people. `decisions` are those of the schedule stage, if
/// `verbose`.
void printPlan(const RankPlan &plan, const PlanOptions &options,
               llvm::ArrayRef<DecisionRow> decisions, llvm::raw_ostream &os);
/// The keys are those of docs/plan.md.
void printPlanJson(const RankPlan &plan, const PlanOptions &options,
                   llvm::ArrayRef<DecisionRow> decisions,
                   llvm::raw_ostream &os);

} // namespace dsc

#endif // DSC_COMPILER_PLAN_PRINTPLAN_H
