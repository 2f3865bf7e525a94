// What the schedule stage decided, for `dsc --plan=verbose`.

#ifndef DSC_COMPILER_PLAN_DECISIONTABLE_H
#define DSC_COMPILER_PLAN_DECISIONTABLE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace dsc {

/// One remark of the schedule stage about an entry, an exchange or an
/// activation; see passes/schedule/ExplainDecisions.h.
struct DecisionRow {
  std::string kind;  ///< Name of the remark: "Entry", "Gather", ...
  std::string place; ///< Operation of the model.
  std::string text;  ///< In words.
  /// Metrics, by name, in their order.
  std::vector<std::pair<std::string, std::string>> metrics;

  /// Empty if there is no such metric.
  llvm::StringRef get(llvm::StringRef name) const;
  double getNumber(llvm::StringRef name) const;
};

/// Tables for people, one an entry.
void printDecisions(llvm::ArrayRef<DecisionRow> rows, llvm::raw_ostream &os);

/// An array of objects; the keys are those of docs/plan.md.
void printDecisionsJson(llvm::ArrayRef<DecisionRow> rows,
                        llvm::json::OStream &json);

} // namespace dsc

#endif // DSC_COMPILER_PLAN_DECISIONTABLE_H
