#ifndef DSC_COMPILER_PLAN_PRINTPLAN_H
#define DSC_COMPILER_PLAN_PRINTPLAN_H

#include "compiler/plan/RankPlan.h"

namespace dsc {

/// How `dsc --plan` prints.
struct PlanOptions {
  bool enabled = false;
  /// Also every operation of every entry point with the bytes in use there.
  bool verbose = false;
  bool json = false;
  /// Ranks that are planned for.
  uint32_t ranks = 1;
};

/// Tables for people.
void printPlan(const RankPlan &plan, bool verbose, llvm::raw_ostream &os);
/// The keys are those of docs/plan.md.
void printPlanJson(const RankPlan &plan, bool verbose, llvm::raw_ostream &os);

} // namespace dsc

#endif // DSC_COMPILER_PLAN_PRINTPLAN_H
