#ifndef DSC_RUNTIME_DRIVER_OPTIONS_H
#define DSC_RUNTIME_DRIVER_OPTIONS_H

#include "runtime/config/Config.h"
#include "runtime/data/TokenFile.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsc::runtime {

/// NAME=FILE of --input and --eval-input.
struct InputFile {
  std::string name;
  std::string location; ///< As readArray takes it, or a pattern of them.
};

/// Where the samples of a run come from: files for each input, text, or text
/// for some inputs and files for the others.
struct DataSource {
  std::vector<InputFile> files;
  std::vector<std::string> tokens; ///< Files of tokens, or patterns of them.
  TokenType tokenType = TokenType::U16;
  std::string tokenInput, labelInput;    ///< Empty: the only ones there are.
  std::string filesOption, tokensOption; ///< That gave them, for messages.

  bool empty() const { return files.empty() && tokens.empty(); }
};

/// A number of the optimizer or schedule that is given.
struct SettingValue {
  std::string option; ///< Such as --betas, for messages.
  std::string state;  ///< Such as dsc.beta1.
  double value;       ///< Or kRunLength.
  /// Asks for what holds anyway in a module that lacks the number.
  bool isNeutral = false;
};

/// As a value: the updates of the run, once they are known.
constexpr double kRunLength = -1;

/// An option that sets numbers: one for each state, separated by commas, none
/// of them negative.
struct SettingOption {
  std::string name; ///< Such as betas.
  const char *argument;
  std::vector<std::string> states;
  const char *help;
  double limit = INFINITY; ///< All numbers are below it.
};

/// All of them, whatever the module has.
const std::vector<SettingOption> &settingOptions();

/// KIND:DIR of --monitor.
struct MonitorTarget {
  std::string kind; ///< csv or tensorboard.
  std::string directory;
};

/// An option as it was given.
struct GivenOption {
  std::string value; ///< Of a repeated option or a list all, with blanks.
  /// "command line", or the place in the configuration.
  std::string origin;
};

/// What dsrun is asked to do, by its command line and its configuration.
struct RunOptions {
  std::string module;
  DataSource data, evalData;
  std::string weights;
  std::optional<uint64_t> steps, epochs, seed;
  std::optional<uint64_t> accumulate, globalBatch, microBatch;
  std::vector<SettingValue> settings;
  uint64_t ranks = 1, threads = 0;
  std::string offloadDirectory; ///< Empty: offloaded states are in memory.
  std::vector<uint32_t> shardWeights; ///< Of each rank; empty: equal shares.
  double timeout = 600;               ///< Seconds.
  bool eval = false;
  uint64_t evalEvery = 0;
  uint64_t layerNorms = 0; ///< Measured every so many updates.
  double evalSplit = 0;    ///< Fraction of the samples.
  std::string outputDirectory, save, exportPath, metrics, timeline;
  std::optional<uint64_t> timelineStep;
  std::string calibrate;
  std::vector<MonitorTarget> monitors;
  uint64_t saveEvery = 0, keep = 2;
  std::optional<std::string> resume; ///< Empty: the folder of --save.
  uint64_t stepsPerPrint = 0;
  bool wallClockBreakdown = false;
  bool dryRun = false, printConfig = false, help = false, version = false;
  bool manual = false, completion = false;
  std::map<std::string, GivenOption> given; ///< By name; the rest is default.
  std::string config;                       ///< A ds_config.json.
  /// What the configuration asks the module to be compiled with.
  std::vector<ConfigOption> compiledWith;
  std::vector<std::string> notices; ///< About the configuration.

  /// "--NAME=VALUE", with its place if the configuration gave it.
  std::string spell(const std::string &name) const;

  /// Whether --eval is given or implied.
  bool evaluates() const {
    return eval || evalEvery || evalSplit || !evalData.empty() ||
           !outputDirectory.empty();
  }
};

/// Parses the command line and the configuration that it names; nothing is
/// printed. Where --help, --version or
/// --print-config is given, what belongs together is not checked.
Result<RunOptions> parseOptions(int argc, char **argv);

/// What --help prints: all options by group, with units and defaults.
std::string helpText();

/// What --print-config prints: one line an option, with tabs between its name,
/// its value and where that came from.
std::string configText(const RunOptions &options);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_OPTIONS_H
