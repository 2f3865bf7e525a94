#ifndef DSC_COMPILER_COMMANDLINE_H
#define DSC_COMPILER_COMMANDLINE_H

#include <memory>
#include <optional>

namespace dsc {

struct CompileOptions;
struct ConfigCheckOptions;
struct ExplainOptions;
struct ExportOptions;

/// What the command line asks for: exactly one member is set.
struct Command {
  Command();
  Command(Command &&);
  ~Command();

  std::unique_ptr<CompileOptions> compile;
  std::unique_ptr<ExportOptions> exportModel;
  std::unique_ptr<ExplainOptions> explain;
  std::unique_ptr<ConfigCheckOptions> configCheck;
  /// All is done already, or cannot be.
  std::optional<int> exitCode;
};

/// Parses the command line of `dsc`. Prints help and version itself (and
/// exits, as every LLVM tool does). Nothing on a usage error, which has been
/// printed by then.
std::optional<Command> parseCommandLine(int argc, char **argv);

} // namespace dsc

#endif // DSC_COMPILER_COMMANDLINE_H
