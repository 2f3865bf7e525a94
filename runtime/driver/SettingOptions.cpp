#include "runtime/driver/OptionTable.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace dsc::runtime;

namespace {

/// One number for each state of the option, separated by commas.
Status parseSettings(const SettingOption &setting, RunOptions &options,
                     const std::string &text) {
  if (setting.name == "total-steps" && text == "auto") {
    options.settings.push_back(
        {"--total-steps", setting.states[0], kRunLength});
    return {};
  }
  const std::string separated = text + ",";
  if (size_t(std::count(separated.begin(), separated.end(), ',')) !=
      setting.states.size())
    return usageError("'", text, "' is not ", setting.states.size(),
                      " numbers separated by commas");
  size_t begin = 0;
  for (const std::string &state : setting.states) {
    size_t comma = separated.find(',', begin);
    const char *first = &separated[begin], *last = &separated[comma];
    double value = 0;
    auto [end, error] = std::from_chars(first, last, value);
    std::string number(first, last);
    if (error != std::errc() || end != last)
      return usageError("'", number, "' is not a number");
    if (!(value >= 0 && value < setting.limit)) // Also false for a NaN.
      return usageError(
          "'", number, "' is not a number from 0 on",
          setting.limit < INFINITY ? concat(" and below ", setting.limit) : "");
    options.settings.push_back({"--" + setting.name, state, value});
    begin = comma + 1;
  }
  return {};
}

} // namespace

const std::vector<SettingOption> &dsc::runtime::settingOptions() {
  static const std::vector<SettingOption> options = {
      {"lr", "X", {"dsc.lr"}, "learning rate"},
      {"betas",
       "B1,B2",
       {"dsc.beta1", "dsc.beta2"},
       "decay rates of Adam's moments",
       1},
      {"eps", "X", {"dsc.eps"}, "Adam's epsilon"},
      {"weight-decay", "X", {"dsc.weight_decay"}, "weight decay per update"},
      {"momentum", "X", {"dsc.momentum"}, "momentum of SGD"},
      {"clip-norm",
       "X",
       {"dsc.clip_norm"},
       "bound of the global gradient norm"},
      {"warmup-steps", "N", {"dsc.warmup_steps"}, "updates of warm-up"},
      {"total-steps",
       "N|auto",
       {"dsc.total_steps"},
       "updates of the whole schedule, of which this run may be a part; auto: "
       "those of this run"},
      {"min-lr", "X", {"dsc.min_lr"}, "lowest learning rate of the schedule"},
      {"warmup-min-ratio",
       "X",
       {"dsc.warmup_min_ratio"},
       "part of the learning rate that WarmupCosineLR's warm-up starts from"},
      {"cosine-min-ratio",
       "X",
       {"dsc.cosine_min_ratio"},
       "part of the learning rate that WarmupCosineLR ends with"},
      {"cycle-up-steps",
       "N",
       {"dsc.cycle_up_steps"},
       "updates in which OneCycle's rate rises, from 1 on"},
      {"cycle-down-steps",
       "N",
       {"dsc.cycle_down_steps"},
       "updates in which it falls again"},
      {"cycle-up-stairs",
       "N",
       {"dsc.cycle_up_stairs"},
       "steps in which OneCycle's rate rises; 0 for a straight line"},
      {"cycle-down-stairs",
       "N",
       {"dsc.cycle_down_stairs"},
       "steps in which it falls again; 0 for a straight line"},
      {"cycle-decay-steps",
       "N",
       {"dsc.cycle_decay_steps"},
       "updates of one decay after the cycle; 0 for no decay"},
      {"cycle-lr-decay",
       "X",
       {"dsc.cycle_lr_decay"},
       "by how much one decay divides the rate, less 1"},
      {"cycle-min-beta1",
       "X",
       {"dsc.cycle_min_beta1"},
       "Adam's first beta at OneCycle's peak",
       1},
      {"cycle-max-beta1",
       "X",
       {"dsc.cycle_max_beta1"},
       "Adam's first beta at the ends of the cycle",
       1},
      {"cycle-beta1-decay",
       "X",
       {"dsc.cycle_beta1_decay"},
       "by how much one decay multiplies Adam's first beta, less 1"},
      {"range-steps",
       "N",
       {"dsc.range_steps"},
       "updates of one interval of LRRangeTest, from 1 on"},
      {"range-rate",
       "X",
       {"dsc.range_rate"},
       "by how much of the first rate LRRangeTest raises it in an interval"},
  };
  return options;
}

std::vector<Option> dsc::runtime::settingRows() {
  std::vector<Option> rows;
  for (const SettingOption &setting : settingOptions())
    rows.push_back({"Optimizer numbers", setting.name.c_str(), setting.argument,
                    setting.help, "as compiled, see --dry-run",
                    [&setting](RunOptions &options, const std::string &text) {
                      return parseSettings(setting, options, text);
                    }});
  return rows;
}
