// Remarks of the schedule stage, as rows of a table.

#ifndef DSC_COMPILER_SCHEDULEREPORT_H
#define DSC_COMPILER_SCHEDULEREPORT_H

#include "compiler/plan/DecisionTable.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Regex.h"

namespace dsc {

/// Collects decisions, and prints the remarks of the stages that the user asked
/// for.
class ScheduleReport : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  /// `rows` outlives the context that owns this. `printed`: the expression of
  /// --remarks, or empty.
  ScheduleReport(std::vector<DecisionRow> &rows, llvm::StringRef printed)
      : rows(rows), printsAny(!printed.empty()), printed(printed) {}

  void
  streamOptimizationRemark(const mlir::remark::detail::Remark &remark) override;

private:
  std::vector<DecisionRow> &rows;
  bool printsAny;
  llvm::Regex printed;
};

} // namespace dsc

#endif // DSC_COMPILER_SCHEDULEREPORT_H
