#ifndef DSC_RUNTIME_CONFIG_CONFIG_H
#define DSC_RUNTIME_CONFIG_CONFIG_H

#include "runtime/config/Document.h"

namespace dsc::runtime {

/// What becomes of a key.
enum class ConfigAnswer {
  Honoured,
  Approximated, ///< What it asks for holds nearly, or by other means.
  Ignored,      ///< It cannot change results.
  Refused       ///< Unknown, wrong, or it would change results.
};

/// An option that a key becomes, as text for the parser of the command line.
struct ConfigOption {
  std::string name;     ///< Without dashes.
  std::string value;    ///< Empty for a switch.
  std::string origin;   ///< FILE:LINE:COLUMN (POINTER).
  std::string goesWith; ///< Another option; is dropped where the command line
                        ///< gives that one, unless empty.
  /// Asks for what holds anyway in a module that lacks this number.
  bool isNeutral = false;
};

/// The answer to one key.
struct ConfigKey {
  uint32_t line, column; ///< From 1; the column in bytes.
  std::string pointer;   ///< JSON pointer.
  ConfigAnswer answer;
  std::vector<ConfigOption> compile; ///< What dsc gets.
  std::vector<ConfigOption> run;     ///< What dsrun gets.
  std::string reason;                ///< Empty where the options say it all.
};

/// A ds_config.json with an answer to each of its keys, in their order.
struct Config {
  std::string file;
  std::vector<ConfigKey> keys;
  /// What a reader of the file might expect and what is not in it.
  std::vector<std::string> notices;

  std::vector<ConfigOption> compileOptions() const;
  std::vector<ConfigOption> runOptions() const;

  /// Success, or an error that names every key that is refused.
  Status check() const;

  /// One sentence about the keys that have no effect; empty without any.
  std::string ignoredNotice() const;
};

/// Judges every key of a document.
Config judgeConfig(const ConfigDocument &document);

/// Reads and judges what --config names (see readConfig). Fails only where it
/// cannot be read: keys are refused one by one.
Result<Config> loadConfig(const std::string &fileOrText);

/// The report of `dsc config check`: a line a key, then a count.
std::string describeConfig(const Config &config);

/// The same as JSON.
std::string describeConfigAsJson(const Config &config);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CONFIG_CONFIG_H
