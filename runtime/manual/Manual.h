#ifndef DSC_RUNTIME_MANUAL_MANUAL_H
#define DSC_RUNTIME_MANUAL_MANUAL_H

#include <string>
#include <vector>

namespace dsc {

/// A row of a program's option table.
struct ManualOption {
  std::string group;
  std::string name;     ///< Without dashes.
  std::string argument; ///< As --help names it, A|B for a choice; empty: none.
  std::string help;     ///< With the default.
  bool isOptional = false; ///< Its argument follows an equals sign or is none.
  bool isList = false;     ///< Takes all words up to the next option.
};

/// The program itself, or one of its subcommands.
struct ManualCommand {
  std::string name;                  ///< Empty: the program itself.
  std::vector<ManualOption> options; ///< Grouped.
};

/// What is known of a program, from which its manual page and its completion
/// are made: the same tables as for --help, and no text of their own.
struct Manual {
  std::string program, version;
  std::string summary;            ///< A verb phrase.
  std::vector<std::string> usage; ///< Command lines.
  std::string positional;         ///< How its own files end, such as .onnx.
  std::string notes;              ///< What is left to say, in sentences.
  std::string exitCodes;
  std::vector<ManualCommand> commands; ///< The program itself first.
};

/// The source of the manual page, for man(1).
std::string manualPage(const Manual &manual);

/// A script for bash that completes options, what they choose from, and files.
std::string bashCompletion(const Manual &manual);

} // namespace dsc

#endif // DSC_RUNTIME_MANUAL_MANUAL_H
