#ifndef DSC_COMPILER_CONFIGOPTIONS_H
#define DSC_COMPILER_CONFIGOPTIONS_H

#include "runtime/config/Config.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <string>
#include <vector>

namespace dsc {

struct CommandLine;

/// The options of one run of dsc: those of the command line, which has been
/// parsed, and those that --config adds to them.
class ConfigOptions {
public:
  explicit ConfigOptions(std::vector<std::string> arguments)
      : given(std::move(arguments)) {}

  /// Gives LLVM's parser the options of the configuration that the command line
  /// does not give. Tells the user what is wrong or has no effect.
  bool apply(const CommandLine &line);

  /// All arguments, the configuration's as --NAME=VALUE behind the others.
  const std::vector<std::string> &arguments() const { return given; }

  /// What --print-config prints: one line an option, with tabs between its
  /// name, its value and where that came from.
  void print(const CommandLine &line, llvm::raw_ostream &os) const;

private:
  bool applyOption(const runtime::ConfigOption &option);

  std::vector<std::string> given;
  std::map<std::string, std::string> origins; ///< Of the configuration's.
};

} // namespace dsc

#endif // DSC_COMPILER_CONFIGOPTIONS_H
