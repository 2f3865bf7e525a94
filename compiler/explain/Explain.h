#ifndef DSC_COMPILER_EXPLAIN_EXPLAIN_H
#define DSC_COMPILER_EXPLAIN_EXPLAIN_H

#include <string>

namespace dsc {

/// Options of `dsc explain`.
struct ExplainOptions {
  /// A module that dsc wrote.
  std::string module;
};

/// Prints a module's manifest in words to standard output, without loading the
/// module. Returns the exit code; errors go to standard error.
int explainModule(const ExplainOptions &options);

} // namespace dsc

#endif // DSC_COMPILER_EXPLAIN_EXPLAIN_H
