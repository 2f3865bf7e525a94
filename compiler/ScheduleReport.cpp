#include "compiler/ScheduleReport.h"

#include "mlir/IR/Diagnostics.h"
#include "passes/analysis/ProgramOperations.h"

using namespace dsc;
using namespace mlir;

void ScheduleReport::streamOptimizationRemark(
    const remark::detail::Remark &remark) {
  if (printsAny && printed.match(remark.getCombinedCategoryName()))
    emitRemark(remark.getLocation(), remark.getMsg());
  bool isDecision = llvm::any_of(remark.getArgs(), [](const auto &arg) {
    return arg.key == "decision" || arg.key == "least_memory_bytes";
  });
  if (remark.getCategoryName() != "schedule" || !isDecision)
    return;
  DecisionRow &row = rows.emplace_back();
  row.kind = remark.getRemarkName().str();
  if (std::vector<std::string> nodes = listNodes(remark.getLocation());
      !nodes.empty())
    row.place = nodes.front();
  for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
    if (arg.key == "Remark")
      row.text += arg.val;
    else
      row.metrics.push_back({arg.key, arg.val});
  }
}
