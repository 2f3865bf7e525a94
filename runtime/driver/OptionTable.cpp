#include "runtime/driver/OptionTable.h"
#include "runtime/driver/ShardWeights.h"

#include <algorithm>
#include <charconv>
#include <map>

using namespace dsc::runtime;

namespace {

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

Status parseEvalSplit(RunOptions &options, const std::string &text) {
  DSC_RETURN_IF_ERROR(parseNumber(text, options.evalSplit));
  if (!(options.evalSplit > 0 && options.evalSplit < 1)) // Also not a NaN.
    return usageError("'", text, "' is not a number above 0 and below 1");
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

Status parsePositive(const std::string &text, uint64_t &count) {
  DSC_RETURN_IF_ERROR(parseCount(text, count));
  return count ? Status() : usageError("'0' is not a number from 1 on");
}

auto positiveCount(uint64_t RunOptions::*member) {
  return [member](RunOptions &options, const std::string &text) {
    return parsePositive(text, options.*member);
  };
}

auto positiveCount(std::optional<uint64_t> RunOptions::*member) {
  return [member](RunOptions &options, const std::string &text) {
    return parsePositive(text, (options.*member).emplace());
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

Status resumeFolder(RunOptions &options, const std::string &text) {
  options.resume = text;
  return {};
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

/// KIND:DIR, or KIND for a folder of that name, separated by commas.
Status parseMonitors(RunOptions &options, const std::string &text) {
  options.monitors.clear();
  for (size_t begin = 0; begin <= text.size();) {
    size_t comma = std::min(text.find(',', begin), text.size());
    std::string target = text.substr(begin, comma - begin);
    size_t colon = std::min(target.find(':'), target.size());
    std::string kind = target.substr(0, colon);
    std::string directory =
        colon < target.size() ? target.substr(colon + 1) : kind;
    if ((kind != "csv" && kind != "tensorboard") || directory.empty())
      return usageError("'", target,
                        "' is neither csv:DIR nor tensorboard:DIR");
    options.monitors.push_back({kind, directory});
    begin = comma + 1;
  }
  return {};
}

} // namespace

bool Option::isList() const {
  return argument && std::string(argument).ends_with("...");
}

bool Option::isOptional() const { return argument && argument[0] == '['; }

bool Option::repeats() const {
  return isList() || (argument && std::string(argument) == "NAME=FILE");
}

/// All rows but those of the optimizer's numbers.
static std::vector<Option> otherRows() {
  return {
      {"Data", "input", "NAME=FILE",
       "training data for input NAME: FILE.npy, FILE.npz:KEY or "
       "FILE.safetensors:KEY; the first dim counts samples; repeated for each "
       "input; further files of one input, and those of a pattern (x=d/*.npy, "
       "sorted), follow one another",
       "none", inputFile(&RunOptions::data)},
      {"Data", "tokens", "FILE...",
       "training text: each sample is a window of tokens, and the labels are "
       "the tokens after each; the files, and those of a pattern ('d/*.bin', "
       "sorted), follow one another",
       "none", tokenFile(&RunOptions::data)},
      {"Data", "token-type", "u16|u32|text",
       "how the files of --tokens hold tokens: little-endian numbers, or text, "
       "of which each byte is a token",
       "u16", parseTokenType},
      {"Data", "token-input", "NAME", "input that takes the tokens",
       "the only one that can", dataName(&DataSource::tokenInput)},
      {"Data", "label-input", "NAME", "input that takes the labels of --tokens",
       "the only one that can", dataName(&DataSource::labelInput)},
      {"Data", "eval-input", "NAME=FILE",
       "held-out data for evaluation, as --input; implies --eval",
       "the training data", inputFile(&RunOptions::evalData)},
      {"Data", "eval-tokens", "FILE...",
       "held-out text for evaluation, as --tokens; implies --eval",
       "the training data", tokenFile(&RunOptions::evalData)},
      {"Data", "weights", "PATH",
       "initial parameters from a .safetensors file, a checkpoint or the "
       "newest "
       "one of a folder of checkpoints",
       "the file that was written with the module", text(&RunOptions::weights)},

      {"Training", "steps", "N", "train for N updates",
       "as --epochs says; with both, whichever ends first",
       count(&RunOptions::steps)},
      {"Training", "epochs", "N", "train for N passes over the data",
       "as --steps says", count(&RunOptions::epochs)},
      {"Training", "seed", "S",
       "shuffle the samples anew in each epoch, and draw dropout, as a "
       "function of S",
       "the order of the file, and 0 for dropout", count(&RunOptions::seed)},
      {"Training", "accumulate", "K",
       "micro-batches of an update, whose gradients are added; the last update "
       "of an epoch takes what is left",
       "as --global-batch says, else 1",
       positiveCount(&RunOptions::accumulate)},
      {"Training", "global-batch", "B",
       "samples of an update on all ranks: micro-batch, as compiled, times "
       "--accumulate times ranks",
       "as --accumulate says", positiveCount(&RunOptions::globalBatch)},
      {"Training", "micro-batch", "M",
       "samples of a micro-batch, to be held against what the module was "
       "compiled for",
       "as compiled", positiveCount(&RunOptions::microBatch)},

      {"Training", "layer-norms", "K",
       "measure the gradient and weight norms of each layer every K updates, "
       "tell monitors, and warn of gradients that vanish or explode; needs a "
       "module of dsc --layer-norms",
       "0, never", count(&RunOptions::layerNorms)},

      {"Evaluation", "eval", nullptr,
       "evaluate at the end: loss, and accuracy where labels are classes; "
       "without --steps and --epochs, only evaluate",
       "off", flag(&RunOptions::eval)},
      {"Evaluation", "eval-split", "FRACTION",
       "hold out this fraction of the samples of --input or --tokens, never to "
       "train on: the last ones, or with --seed some that are a function of "
       "it; implies --eval, on them",
       "none is held out", parseEvalSplit},
      {"Evaluation", "eval-every", "N", "evaluate after every N updates too",
       "0, never", count(&RunOptions::evalEvery)},
      {"Evaluation", "write-outputs", "DIR",
       "write the model's outputs for the evaluated data, one row a sample in "
       "its order, to DIR/NAME.npy; implies --eval",
       "not written", text(&RunOptions::outputDirectory)},

      {"Results", "save", "PATH",
       "write the final parameters to PATH if it ends in .safetensors; else "
       "PATH is a folder of checkpoints, from which training can go on "
       "(docs/checkpoint-format.md)",
       "not saved", text(&RunOptions::save)},
      {"Results", "save-every", "N",
       "save a checkpoint after every N updates too, while training goes on",
       "0, only the last state", count(&RunOptions::saveEvery)},
      {"Results", "keep", "K", "newest checkpoints that are kept", "2",
       positiveCount(&RunOptions::keep)},
      {"Results", "resume", "[DIR]",
       "go on from the newest whole checkpoint of folder DIR, or from the one "
       "that DIR is; --steps and --epochs count from the start of the "
       "training. "
       "Without DIR: from the folder of --save, if it holds one",
       "start anew", resumeFolder},
      {"Results", "export", "OUT.onnx",
       "write the ONNX model with the final parameters, through the dsc beside "
       "this program",
       "not exported", text(&RunOptions::exportPath)},

      {"Watching", "steps-per-print", "N",
       "print a plain line for every N updates, on a terminal too",
       "one line that is redrawn on a terminal, elsewhere at most one a second",
       positiveCount(&RunOptions::stepsPerPrint)},
      {"Watching", "wall-clock-breakdown", nullptr,
       "print below each line where the time of the updates since the last one "
       "went: data, step, update, evaluation, save",
       "off", flag(&RunOptions::wallClockBreakdown)},
      {"Watching", "monitor", "KIND:DIR[,KIND:DIR]",
       "draw curves over the samples trained on: csv:DIR writes a file for "
       "each as "
       "DeepSpeed does, tensorboard:DIR what TensorBoard reads",
       "none; DIR is KIND", parseMonitors},
      {"Watching", "metrics", "FILE",
       "write one JSON object a line for each update and each evaluation; "
       "docs/monitoring.md lists the keys",
       "not written", text(&RunOptions::metrics)},

      {"Watching", "timeline", "OUT.json",
       "measure what each rank does in one update and write it as a Chrome "
       "trace, which Perfetto shows (docs/timeline.md)",
       "not measured", text(&RunOptions::timeline)},
      {"Watching", "timeline-step", "K", "update that --timeline measures",
       "the third of the run, or the last if there are fewer",
       positiveCount(&RunOptions::timelineStep)},

      {"Machine", "n", "N",
       "number of ranks: processes that each hold a part of the state and take "
       "a part of each batch; needless where torchrun, mpirun or srun started "
       "this process as one of them",
       "1", count(&RunOptions::ranks)},
      {"Machine", "shard-weights", "W0,W1,...",
       "share of each rank in the state that ranks cut among them (parameters, "
       "gradients, optimizer, by ZeRO stage): whole numbers, and 0 for a rank "
       "that owns none; -n is their count",
       "equal shares",
       [](RunOptions &options, const std::string &text) -> Status {
         DSC_ASSIGN(options.shardWeights, parseShardWeights(text));
         return {};
       }},
      {"Machine", "offload-dir", "DIR",
       "hold the states that dsc --offload-optimizer takes out of memory in a "
       "file in DIR, one for each rank, which goes with the run; --calibrate "
       "measures how fast that is",
       "they are held in memory, too", text(&RunOptions::offloadDirectory)},
      {"Machine", "threads", "N", "threads of a rank",
       "the cores that this process may use, over the ranks",
       count(&RunOptions::threads)},
      {"Machine", "timeout", "SECONDS",
       "end a run in which ranks wait for one that does not come for so long",
       "600", parseTimeout},

      {"Machine", "calibrate", "OUT.json",
       "measure what this host can do for -n ranks (2 by default) of --threads "
       "threads, without a module, and write it for dsc --topology "
       "(docs/machines.md)",
       "not measured", text(&RunOptions::calibrate)},

      {"Other", "dry-run", nullptr,
       "print what would be run, load and allocate it on all ranks, try one "
       "update, compare the ranks, and write nothing",
       "off", flag(&RunOptions::dryRun)},
      {"Other", "config", "FILE",
       "take options from a ds_config.json, or its text in base64; what the "
       "command line gives wins. 'dsc config check FILE' says what becomes of "
       "each key",
       "none", text(&RunOptions::config)},
      {"Other", "print-config", nullptr,
       "print every option with its value and where that came from, and end",
       nullptr, flag(&RunOptions::printConfig)},
      {"Other", "help", nullptr, "print this text", nullptr,
       flag(&RunOptions::help)},
      {"Other", "manual", nullptr,
       "print the manual page: dsrun --manual | man -l -", nullptr,
       flag(&RunOptions::manual)},
      {"Other", "completion", nullptr,
       "print the completion for bash: eval \"$(dsrun --completion)\"", nullptr,
       flag(&RunOptions::completion)},
      {"Other", "version", nullptr, "print the version", nullptr,
       flag(&RunOptions::version)},
  };
}

const std::vector<Option> &dsc::runtime::optionTable() {
  static const std::vector<Option> table = [] {
    std::vector<Option> rows = otherRows();
    const std::vector<Option> settings = settingRows();
    rows.insert(rows.end(), settings.begin(), settings.end());
    // By group, in the order of their first rows; numbers before evaluation.
    std::vector<std::string> groups = {"Data", "Training", "Optimizer numbers"};
    for (const Option &row : rows)
      if (!std::count(groups.begin(), groups.end(), row.group))
        groups.push_back(row.group);
    std::vector<Option> sorted;
    for (const std::string &group : groups)
      for (const Option &row : rows)
        if (row.group == group)
          sorted.push_back(row);
    return sorted;
  }();
  return table;
}
