#include "runtime/driver/Options.h"
#include "runtime/driver/Checkpoints.h"
#include "runtime/driver/OptionTable.h"
#include "runtime/driver/RunManual.h"
#include "runtime/driver/ShardWeights.h"

#include <algorithm>
#include <getopt.h>

using namespace dsc::runtime;

namespace {

/// Far above what one host can have cores for.
constexpr uint64_t kMostRanks = 1024;

constexpr char kCommandLine[] = "command line";

/// As --help shows it: one letter after one dash.
std::string spelling(const Option &option) {
  std::string name = option.name;
  return (name.size() == 1 ? "-" : "--") + name;
}

/// Applies one value and keeps where it came from.
Status applyOption(RunOptions &options, const Option &option,
                   const std::string &value, const std::string &origin) {
  DSC_RETURN_IF_ERROR(option.apply(options, value).in(spelling(option)));
  bool isBare = !option.argument || (option.isOptional() && value.empty());
  std::string text = isBare ? "on" : value;
  auto before = options.given.find(option.name);
  if (before != options.given.end() && option.repeats())
    text = before->second.value + " " + text;
  options.given[option.name] = {text, origin};
  return {};
}

/// Adds the options of a configuration that the command line does not give.
Status applyConfig(RunOptions &options) {
  Result<Config> config = loadConfig(options.config);
  if (!config.ok())
    return config.status().in("--config");
  DSC_RETURN_IF_ERROR(config->check());
  const auto onCommandLine = options.given;
  for (const ConfigOption &wanted : config->runOptions()) {
    if (onCommandLine.count(wanted.name) ||
        onCommandLine.count(wanted.goesWith))
      continue;
    const std::vector<Option> &table = optionTable();
    auto option =
        std::find_if(table.begin(), table.end(), [&](const Option &row) {
          return row.name == wanted.name;
        });
    if (option == table.end())
      return internalError(wanted.origin, ": there is no option --",
                           wanted.name);
    size_t settings = options.settings.size();
    DSC_RETURN_IF_ERROR(
        applyOption(options, *option, wanted.value, wanted.origin)
            .in(wanted.origin));
    for (; settings < options.settings.size(); ++settings) {
      options.settings[settings].option += " of " + wanted.origin;
      options.settings[settings].isNeutral = wanted.isNeutral;
    }
  }
  options.compiledWith = config->compileOptions();
  options.notices = config->notices;
  if (std::string ignored = config->ignoredNotice(); !ignored.empty())
    options.notices.push_back(ignored);
  return {};
}

/// Appends `words` from `column` on, broken before column 80.
void appendWrapped(std::string &out, size_t at, size_t column,
                   const std::string &words) {
  constexpr size_t kWidth = 80;
  if (at + 1 > column) {
    out += '\n';
    at = 0;
  }
  out.append(column - at, ' ');
  at = column;
  for (size_t begin = 0; begin < words.size();) {
    size_t end = std::min(words.find(' ', begin), words.size());
    if (at + end - begin > kWidth && at > column) {
      out.back() = '\n';
      out.append(column, ' ');
      at = column;
    }
    out.append(words, begin, end - begin);
    out += ' ';
    at += end - begin + 1;
    begin = end + 1;
  }
  out.back() = '\n';
}

/// What no single option can know.
Status checkOptions(const RunOptions &options,
                    const std::vector<std::string> &modules) {
  if (options.ranks < 1 || options.ranks > kMostRanks)
    return usageError("-n ", options.ranks, ": a host runs 1 to ", kMostRanks,
                      " ranks");
  if (!options.calibrate.empty() && options.ranks == 1 &&
      options.given.contains("n"))
    return usageError("--calibrate measures what ranks exchange, too; -n is 2 "
                      "or more");
  if (!options.calibrate.empty())
    return modules.empty() ? Status()
                           : usageError("--calibrate measures the host, and "
                                        "runs no module; leave out '",
                                        modules.front(), "'");
  if (modules.empty() &&
      !(options.data.tokens.empty() && options.evalData.tokens.empty()))
    return usageError("no module given: all words after --tokens, up to the "
                      "next option, are its files");
  if (modules.empty())
    return usageError("no module given");
  if (modules.size() > 1)
    return usageError("one module is run at a time, and there are two: '",
                      modules[0], "' and '", modules[1], "'");
  const DataSource &data = options.data, &evalData = options.evalData;
  if (data.tokens.empty() && evalData.tokens.empty() &&
      !(data.tokenInput + data.labelInput).empty())
    return usageError("--token-input and --label-input need --tokens");
  if (options.evalSplit && !evalData.empty())
    return usageError("--eval-split contradicts --eval-input and "
                      "--eval-tokens: the held-out data is a part of the "
                      "training's, or data of its own");
  if (options.evalSplit && !options.outputDirectory.empty())
    return usageError("--write-outputs writes a row for each sample of the "
                      "files, in order, and --eval-split evaluates a part of "
                      "them; leave one of them out");
  DSC_RETURN_IF_ERROR(checkCheckpointOptions(options));
  if (!options.steps && !options.epochs && !options.evaluates())
    return usageError("say how long to train, with --steps=N or --epochs=N, "
                      "or --eval to evaluate");
  if (options.timelineStep && options.timeline.empty())
    return usageError("--timeline-step needs --timeline");
  if (!options.timeline.empty() && !options.steps && !options.epochs)
    return usageError("--timeline measures an update; say how long to train, "
                      "with --steps=N or --epochs=N");
  return {};
}

} // namespace

std::string RunOptions::spell(const std::string &name) const {
  auto found = given.find(name);
  if (found == given.end())
    return "--" + name;
  std::string text = "--" + name + "=" + found->second.value;
  return found->second.origin == kCommandLine
             ? text
             : text + " of " + found->second.origin;
}

std::string dsc::runtime::helpText() {
  const Manual manual = runManual();
  std::string out;
  for (const std::string &line : manual.usage)
    out += (out.empty() ? "usage: dsrun " : "       dsrun ") + line + "\n";
  std::string summary = manual.summary;
  summary[0] = std::toupper(summary[0]);
  appendWrapped(out, 0, 0, summary + ". " + manual.notes);
  std::string group;
  for (const Option &option : optionTable()) {
    if (option.group != group) {
      group = option.group;
      out += "\n" + group + ":\n";
    }
    std::string left = "  " + spelling(option);
    if (option.isOptional())
      left += "[=" + std::string(option.argument + 1);
    else if (option.argument)
      left += std::string(" ") + option.argument;
    out += left;
    std::string words = option.help;
    if (option.defaultText)
      words += std::string(" (default: ") + option.defaultText + ")";
    appendWrapped(out, left.size(), 28, words);
  }
  appendWrapped(out, 0, 0, "Exit codes: " + manual.exitCodes);
  return out;
}

std::string dsc::runtime::configText(const RunOptions &options) {
  std::string out;
  for (const Option &option : optionTable()) {
    if (!option.defaultText)
      continue;
    out += spelling(option) + "\t";
    auto given = options.given.find(option.name);
    if (given == options.given.end())
      out += std::string(option.defaultText) + "\tdefault\n";
    else
      out += given->second.value + "\t" + given->second.origin + "\n";
  }
  return out;
}

Result<RunOptions> dsc::runtime::parseOptions(int argc, char **argv) {
  constexpr int kFirstCode = 256; // Above what getopt returns by itself.
  constexpr int kOtherArgument = 1;
  const std::vector<Option> &table = optionTable();
  std::vector<option> longOptions;
  for (size_t i = 0; i < table.size(); ++i)
    longOptions.push_back({table[i].name,
                           table[i].isOptional() ? optional_argument
                           : table[i].argument   ? required_argument
                                                 : no_argument,
                           nullptr, kFirstCode + int(i)});
  longOptions.push_back({nullptr, 0, nullptr, 0});

  RunOptions options;
  options.data.filesOption = "--input";
  options.data.tokensOption = "--tokens";
  options.evalData.filesOption = "--eval-input";
  options.evalData.tokensOption = "--eval-tokens";
  std::vector<std::string> others;
  const Option *list = nullptr; ///< Takes further words, up to an option.
  optind = 0; // Starts anew, also in a process that has parsed before.
  opterr = 0;
  for (;;) {
    // '-' hands out other arguments in order; ':' tells a missing value apart.
    int code = getopt_long_only(argc, argv, "-:", longOptions.data(), nullptr);
    if (code == -1)
      break;
    if (code == kOtherArgument) {
      if (list)
        DSC_RETURN_IF_ERROR(applyOption(options, *list, optarg, kCommandLine));
      else
        others.push_back(optarg);
      continue;
    }
    std::string given = argv[optind - 1];
    if (code == ':')
      return usageError("option '", given, "' needs a value");
    if (code == '?' && optopt >= kFirstCode)
      return usageError("option '", given, "' takes no value");
    if (code == '?')
      return usageError("unknown or ambiguous option '", given, "'");
    const Option &chosen = table[code - kFirstCode];
    DSC_RETURN_IF_ERROR(
        applyOption(options, chosen, optarg ? optarg : "", kCommandLine));
    list = chosen.isList() ? &chosen : nullptr;
  }
  others.insert(others.end(), argv + optind, argv + argc);
  if (options.help || options.version || options.manual || options.completion)
    return options;
  if (!options.config.empty())
    DSC_RETURN_IF_ERROR(applyConfig(options));
  if (options.printConfig)
    return options;
  DSC_RETURN_IF_ERROR(applyShardWeights(options));
  DSC_RETURN_IF_ERROR(checkOptions(options, others));
  if (!others.empty())
    options.module = others.front();
  return options;
}
