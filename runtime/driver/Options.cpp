#include "runtime/driver/Options.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <getopt.h>
#include <map>

using namespace dsc::runtime;

namespace {

/// Far above what one host can have cores for.
constexpr uint64_t kMostRanks = 1024;

/// One row of the option table, which drives both the parser and --help.
struct Option {
  const char *group;
  const char *name;
  const char *argument; ///< Null for a switch; NAME... for one value or more.
  const char *help;
  std::function<Status(RunOptions &, const std::string &)> apply;
};

Status parseNumber(const std::string &text, double &number) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return usageError("'", text, "' is not a number");
  return {};
}

Status parseCount(const std::string &text, uint64_t &count) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size())
    return usageError("'", text, "' is not a whole number from 0 on");
  return {};
}

Status parseTimeout(RunOptions &options, const std::string &text) {
  DSC_RETURN_IF_ERROR(parseNumber(text, options.timeout));
  if (!(options.timeout > 0 && options.timeout < INFINITY))
    return usageError("'", text, "' is not a number of seconds above 0");
  return {};
}

auto count(uint64_t RunOptions::*member) {
  return [member](RunOptions &options, const std::string &text) {
    return parseCount(text, options.*member);
  };
}

auto count(std::optional<uint64_t> RunOptions::*member) {
  return [member](RunOptions &options, const std::string &text) {
    return parseCount(text, (options.*member).emplace());
  };
}

auto positiveCount(std::optional<uint64_t> RunOptions::*member) {
  return [member](RunOptions &options, const std::string &text) -> Status {
    uint64_t &value = (options.*member).emplace();
    DSC_RETURN_IF_ERROR(parseCount(text, value));
    return value ? Status() : usageError("'0' is not a number from 1 on");
  };
}

auto text(std::string RunOptions::*member) {
  return [member](RunOptions &options, const std::string &text) -> Status {
    if (text.empty())
      return usageError("needs a value");
    options.*member = text;
    return {};
  };
}

auto flag(bool RunOptions::*member) {
  return [member](RunOptions &options, const std::string &) -> Status {
    options.*member = true;
    return {};
  };
}

/// NAME=FILE, appended to a list.
auto inputFile(DataSource RunOptions::*member) {
  return [member](RunOptions &options, const std::string &text) -> Status {
    size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      return usageError("'", text, "' is not NAME=FILE");
    (options.*member)
        .files.push_back({text.substr(0, equals), text.substr(equals + 1)});
    return {};
  };
}

auto tokenFile(DataSource RunOptions::*member) {
  return [member](RunOptions &options, const std::string &text) -> Status {
    (options.*member).tokens.push_back(text);
    return {};
  };
}

/// Sets a member of both the training's and the evaluation's data.
auto dataName(std::string DataSource::*member) {
  return [member](RunOptions &options, const std::string &text) -> Status {
    options.data.*member = options.evalData.*member = text;
    return {};
  };
}

Status parseTokenType(RunOptions &options, const std::string &text) {
  static const std::map<std::string, TokenType> types = {
      {"u16", TokenType::U16},
      {"u32", TokenType::U32},
      {"text", TokenType::Text}};
  auto found = types.find(text);
  if (found == types.end())
    return usageError("'", text, "' is none of u16, u32, text");
  options.data.tokenType = options.evalData.tokenType = found->second;
  return {};
}

/// One number for each state of the option, separated by commas.
auto numbers(const char *name) {
  return [name](RunOptions &options, const std::string &text) -> Status {
    const SettingOption &setting =
        *std::find_if(settingOptions().begin(), settingOptions().end(),
                      [&](const auto &option) { return option.name == name; });
    const std::string separated = text + ",";
    if (size_t(std::count(separated.begin(), separated.end(), ',')) !=
        setting.states.size())
      return usageError("'", text, "' is not ", setting.states.size(),
                        " numbers separated by commas");
    size_t begin = 0;
    for (const std::string &state : setting.states) {
      size_t comma = separated.find(',', begin);
      double value = 0;
      std::string number = separated.substr(begin, comma - begin);
      DSC_RETURN_IF_ERROR(parseNumber(number, value));
      if (!(value >= 0 && value < setting.limit)) // Also false for a NaN.
        return usageError("'", number, "' is not a number from 0 on",
                          setting.limit < INFINITY
                              ? concat(" and below ", setting.limit)
                              : "");
      options.settings.push_back({"--" + setting.name, state, value});
      begin = comma + 1;
    }
    return {};
  };
}

const std::vector<Option> &optionTable() {
  static const std::vector<Option> table = {
      {"Data", "input", "NAME=FILE",
       "training data for input NAME: FILE.npy, FILE.npz:KEY or "
       "FILE.safetensors:KEY; the first dim counts samples; repeated for each "
       "input (default: none)",
       inputFile(&RunOptions::data)},
      {"Data", "tokens", "FILE...",
       "training text: each sample is a window of tokens, and the labels are "
       "the tokens after each; the files follow one another (default: none)",
       tokenFile(&RunOptions::data)},
      {"Data", "token-type", "u16|u32|text",
       "how the files of --tokens hold tokens: little-endian numbers, or text, "
       "of which each byte is a token (default: u16)",
       parseTokenType},
      {"Data", "token-input", "NAME",
       "input that takes the tokens (default: the only one that can)",
       dataName(&DataSource::tokenInput)},
      {"Data", "label-input", "NAME",
       "input that takes the labels of --tokens (default: the only one that "
       "can)",
       dataName(&DataSource::labelInput)},
      {"Data", "eval-input", "NAME=FILE",
       "held-out data for evaluation, as --input; implies --eval (default: "
       "the training data)",
       inputFile(&RunOptions::evalData)},
      {"Data", "eval-tokens", "FILE...",
       "held-out text for evaluation, as --tokens; implies --eval (default: "
       "the training data)",
       tokenFile(&RunOptions::evalData)},
      {"Data", "weights", "FILE",
       "initial parameters from a .safetensors file (default: the file that "
       "was written with the module)",
       text(&RunOptions::weights)},

      {"Training", "steps", "N",
       "train for N updates (default: as --epochs says; with both, whichever "
       "ends first)",
       count(&RunOptions::steps)},
      {"Training", "epochs", "N",
       "train for N passes over the data (default: as "
       "--steps says)",
       count(&RunOptions::epochs)},
      {"Training", "seed", "S",
       "shuffle the samples anew in each epoch, and draw dropout, as a "
       "function of S (default: the order of the file, and 0 for dropout)",
       count(&RunOptions::seed)},
      {"Training", "accumulate", "K",
       "micro-batches of an update, whose gradients are added; the last update "
       "of an epoch takes what is left (default: as --global-batch says, else "
       "1)",
       positiveCount(&RunOptions::accumulate)},
      {"Training", "global-batch", "B",
       "samples of an update on all ranks: micro-batch, as compiled, times "
       "--accumulate times ranks (default: as --accumulate says)",
       positiveCount(&RunOptions::globalBatch)},

      {"Optimizer numbers (default: those compiled in, see --dry-run)", "lr",
       "X", "learning rate", numbers("lr")},
      {"", "betas", "B1,B2", "decay rates of Adam's moments", numbers("betas")},
      {"", "eps", "X", "Adam's epsilon", numbers("eps")},
      {"", "weight-decay", "X", "weight decay per update",
       numbers("weight-decay")},
      {"", "momentum", "X", "momentum of SGD", numbers("momentum")},
      {"", "clip-norm", "X", "bound of the global gradient norm",
       numbers("clip-norm")},
      {"", "warmup-steps", "N", "updates of warm-up", numbers("warmup-steps")},
      {"", "total-steps", "N",
       "updates of the whole schedule, of which this run may be a part",
       numbers("total-steps")},
      {"", "min-lr", "X", "learning rate at the end of the schedule",
       numbers("min-lr")},

      {"Evaluation", "eval", nullptr,
       "evaluate at the end: loss, and accuracy where labels are classes; "
       "without --steps and --epochs, only evaluate (default: off)",
       flag(&RunOptions::eval)},
      {"Evaluation", "eval-every", "N",
       "evaluate after every N updates too (default: 0, never)",
       count(&RunOptions::evalEvery)},
      {"Evaluation", "write-outputs", "DIR",
       "write the model's outputs for the evaluated data, one row a sample in "
       "its order, to DIR/NAME.npy; implies --eval (default: not written)",
       text(&RunOptions::outputDirectory)},

      {"Results", "save", "PATH",
       "write the final parameters to PATH if it ends in .safetensors, else to "
       "PATH/model.safetensors (default: not saved)",
       text(&RunOptions::save)},
      {"Results", "export", "OUT.onnx",
       "write the ONNX model with the final parameters, through the dsc beside "
       "this program (default: not exported)",
       text(&RunOptions::exportPath)},
      {"Results", "metrics", "FILE",
       "write one JSON object a line for each update: step, loss, lr, "
       "grad_norm, step_seconds, of several ranks also received_bytes "
       "(default: not written)",
       text(&RunOptions::metrics)},

      {"Machine", "n", "N",
       "number of ranks: processes that each hold a part of the state and take "
       "a part of each batch (default: 1)",
       count(&RunOptions::ranks)},
      {"Machine", "threads", "N",
       "threads of a rank (default: the cores that this process may use, over "
       "the ranks)",
       count(&RunOptions::threads)},
      {"Machine", "timeout", "SECONDS",
       "end a run in which ranks wait for one that does not come for so long "
       "(default: 600)",
       parseTimeout},

      {"Other", "dry-run", nullptr,
       "check everything and print what would be run, without running it",
       flag(&RunOptions::dryRun)},
      {"Other", "help", nullptr, "print this text", flag(&RunOptions::help)},
      {"Other", "version", nullptr, "print the version",
       flag(&RunOptions::version)},
  };
  return table;
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
  if (options.ranks < 1 || options.ranks > kMostRanks)
    return usageError("-n ", options.ranks, ": a host runs 1 to ", kMostRanks,
                      " ranks");
  if (!options.steps && !options.epochs && !options.evaluates())
    return usageError("say how long to train, with --steps=N or --epochs=N, "
                      "or --eval to evaluate");
  return {};
}

} // namespace

const std::vector<SettingOption> &dsc::runtime::settingOptions() {
  static const std::vector<SettingOption> options = {
      {"lr", {"dsc.lr"}},
      {"betas", {"dsc.beta1", "dsc.beta2"}, 1},
      {"eps", {"dsc.eps"}},
      {"weight-decay", {"dsc.weight_decay"}},
      {"momentum", {"dsc.momentum"}},
      {"clip-norm", {"dsc.clip_norm"}},
      {"warmup-steps", {"dsc.warmup_steps"}},
      {"total-steps", {"dsc.total_steps"}},
      {"min-lr", {"dsc.min_lr"}},
  };
  return options;
}

std::string dsc::runtime::helpText() {
  std::string out =
      "usage: dsrun MODULE.so --input NAME=FILE... --epochs N [options]\n"
      "       dsrun MODULE.so --tokens FILE... --epochs N [options]\n"
      "\n"
      "Trains a module that dsc compiled. -x and --x are the same.\n";
  std::string group;
  for (const Option &option : optionTable()) {
    if (*option.group && option.group != group) {
      group = option.group;
      out += "\n" + group + ":\n";
    }
    std::string left = std::string("  --") + option.name;
    if (std::string(option.name) == "n")
      left = "  -n";
    if (option.argument)
      left += std::string(" ") + option.argument;
    out += left;
    appendWrapped(out, left.size(), 28, option.help);
  }
  out += "\nCtrl-C ends the training after its update; results are still "
         "written.\n"
         "Exit codes: 0 done; 1 input or environment; 2 usage; 3 internal "
         "error;\n4 a rank was lost.\n";
  return out;
}

Result<RunOptions> dsc::runtime::parseOptions(int argc, char **argv) {
  constexpr int kFirstCode = 256; // Above what getopt returns by itself.
  constexpr int kOtherArgument = 1;
  const std::vector<Option> &table = optionTable();
  std::vector<option> longOptions;
  for (size_t i = 0; i < table.size(); ++i)
    longOptions.push_back({table[i].name,
                           table[i].argument ? required_argument : no_argument,
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
        DSC_RETURN_IF_ERROR(list->apply(options, optarg));
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
    Status status = chosen.apply(options, optarg ? optarg : "");
    if (!status.ok())
      return status.in(std::string("--") + chosen.name);
    bool isList =
        chosen.argument && std::string(chosen.argument).ends_with("...");
    list = isList ? &chosen : nullptr;
  }
  others.insert(others.end(), argv + optind, argv + argc);
  if (options.help || options.version)
    return options;
  DSC_RETURN_IF_ERROR(checkOptions(options, others));
  options.module = others.front();
  return options;
}
