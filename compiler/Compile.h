#ifndef DSC_COMPILER_COMPILE_H
#define DSC_COMPILER_COMPILE_H

namespace dsc {

struct CompileOptions;

/// Exit codes of `dsc` and `dsrun`.
enum ExitCode : int {
  Success = 0,
  /// The input or the environment is at fault; a located message says how.
  InputError = 1,
  UsageError = 2,
  /// dsc is at fault; a reproducer was written.
  InternalError = 3,
};

/// Compiles one model as `options` say. Diagnostics go to standard error. On
/// failure no output file exists (an older one is left as it was).
ExitCode compile(const CompileOptions &options);

} // namespace dsc

#endif // DSC_COMPILER_COMPILE_H
