#ifndef DSC_COMPILER_SCHEDULENUMBERS_H
#define DSC_COMPILER_SCHEDULENUMBERS_H

#include "passes/differentiate/Passes.h"
#include "llvm/Support/CommandLine.h"
#include <memory>
#include <vector>

namespace dsc {

/// The options of dsc that are numbers of one kind of learning-rate schedule,
/// each a row of one table.
class ScheduleNumbers {
public:
  explicit ScheduleNumbers(llvm::cl::OptionCategory &category);

  /// Writes them into `options`. Tells the user about one out of its range.
  bool fill(DifferentiateOptions &options) const;

private:
  std::vector<std::unique_ptr<llvm::cl::opt<double>>> options;
};

} // namespace dsc

#endif // DSC_COMPILER_SCHEDULENUMBERS_H
