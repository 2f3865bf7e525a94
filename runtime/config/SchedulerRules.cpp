#include "runtime/config/Parameters.h"
#include "runtime/config/Suggest.h"

#include <algorithm>

using namespace dsc::runtime;

namespace {

constexpr char kWarmup[] = "WarmupLR", kDecay[] = "WarmupDecayLR",
               kCosine[] = "WarmupCosineLR", kCycle[] = "OneCycle",
               kRange[] = "LRRangeTest";
constexpr char kSection[] = "/scheduler/params";

const std::vector<std::string> &kinds() {
  static const std::vector<std::string> kinds = {kWarmup, kDecay, kCosine,
                                                 kCycle, kRange};
  return kinds;
}

/// Empty if dsc does not have it.
std::string kindOf(const Judging &judging) {
  std::string type = judging.text("/scheduler/type");
  return std::count(kinds().begin(), kinds().end(), type) ? type : "";
}

std::string pointerOf(const char *parameter) {
  return std::string(kSection) + "/" + parameter;
}

Judge number(const char *option, double low = 0) {
  return within(low, INFINITY, [=](Judging &judging, const ConfigNode &node) {
    judging.both(option, node.text, "lr-schedule");
    return honoured();
  });
}

/// The rate that the schedule is in terms of; it stays where another schedule
/// is chosen on the command line.
Judge rate() {
  return within(0, INFINITY, [](Judging &judging, const ConfigNode &node) {
    judging.both("lr", node.text);
    return honoured();
  });
}

Verdict judgeWarmupType(Judging &judging, const ConfigNode &node) {
  if (node.text != "log" && node.text != "linear")
    return refused("expects \"log\" or \"linear\"");
  judging.compile("warmup-type", node.text, "lr-schedule");
  return honoured();
}

Judge compiledSwitch(const char *option) {
  return [=](Judging &judging, const ConfigNode &node) {
    if (isTrue(node))
      judging.compile(option, "", "lr-schedule");
    return honoured();
  };
}

Verdict judgeCycleMomentum(Judging &judging, const ConfigNode &node) {
  if (!isTrue(node))
    return honoured();
  if (!cyclesMomentum(judging))
    return honoured("has no effect, since only Adam and AdamW have betas");
  judging.compile("cycle-momentum", "", "lr-schedule");
  // DeepSpeed sets the second beta too.
  const ConfigNode *momentum = judging.find(pointerOf("cycle_max_mom"));
  judging.both("betas", (momentum ? momentum->text : "0.9") + ",0.99",
               "optimizer");
  return honoured();
}

/// A number of the momentum's cycle, which there may be none of.
Judge momentum(const char *option, double high = INFINITY) {
  return within(0, high, [=](Judging &judging, const ConfigNode &node) {
    if (!cyclesMomentum(judging))
      return ignored("the momentum is not cycled");
    judging.both(option, node.text, "lr-schedule");
    return honoured();
  });
}

Verdict judgeStart(Judging &, const ConfigNode &node) {
  return node.number == -1
             ? honoured()
             : refused(
                   "a schedule starts with its run; --resume continues one");
}

/// As the trainers that resolve "auto" do: the optimizer's.
std::string defaultMaxLr(const Judging &judging) {
  const ConfigNode *lr = judging.find("/optimizer/params/lr");
  bool isUsed = judging.isAuto(pointerOf("warmup_max_lr")) && lr &&
                lr->kind == ConfigNode::Kind::Number;
  return isUsed ? lr->text : "0.001";
}

std::string defaultWarmup(const Judging &judging) {
  return judging.isAuto(pointerOf("warmup_num_steps")) ? "0" : "1000";
}

/// The other half is as long as the first, and has as many stairs.
std::function<std::string(const Judging &)> sameAs(const char *parameter,
                                                   const char *otherwise) {
  return [=](const Judging &judging) {
    const ConfigNode *first = judging.find(pointerOf(parameter));
    return first && first->kind == ConfigNode::Kind::Number ? first->text
                                                            : otherwise;
  };
}

const ParameterTable &table() {
  using T = ConfigType;
  static const std::vector<std::string> warm = {kWarmup, kDecay, kCosine},
                                        floor = {kWarmup, kDecay},
                                        length = {kDecay, kCosine};
  static const ParameterTable table = {
      {"warmup_min_lr", T::Number, floor, number("min-lr"), "0"},
      {"warmup_max_lr", T::Number, floor, rate(), defaultMaxLr},
      {"warmup_num_steps", T::Count, warm, number("warmup-steps"),
       defaultWarmup},
      {"warmup_type", T::Text, warm, judgeWarmupType, "log"},
      {"total_num_steps", T::Count, length, number("total-steps", 1)},
      {"warmup_min_ratio",
       T::Number,
       {kCosine},
       number("warmup-min-ratio"),
       "0"},
      {"cos_min_ratio",
       T::Number,
       {kCosine},
       number("cosine-min-ratio"),
       "0.0001"},

      {"cycle_min_lr", T::Number, {kCycle}, number("min-lr")},
      {"cycle_max_lr", T::Number, {kCycle}, rate()},
      {"cycle_first_step_size",
       T::Count,
       {kCycle},
       number("cycle-up-steps", 1),
       "2000"},
      {"cycle_second_step_size",
       T::Count,
       {kCycle},
       number("cycle-down-steps"),
       sameAs("cycle_first_step_size", "2000")},
      {"cycle_first_stair_count",
       T::Count,
       {kCycle},
       number("cycle-up-stairs"),
       "0"},
      {"cycle_second_stair_count",
       T::Count,
       {kCycle},
       number("cycle-down-stairs"),
       sameAs("cycle_first_stair_count", "0")},
      {"decay_step_size", T::Count, {kCycle}, number("cycle-decay-steps"), "0"},
      {"decay_lr_rate", T::Number, {kCycle}, number("cycle-lr-decay"), "0"},
      {"cycle_momentum", T::Boolean, {kCycle}, judgeCycleMomentum, "true"},
      {"cycle_min_mom",
       T::Number,
       {kCycle},
       momentum("cycle-min-beta1", 1),
       "0.8"},
      {"cycle_max_mom",
       T::Number,
       {kCycle},
       momentum("cycle-max-beta1", 1),
       "0.9"},
      {"decay_mom_rate",
       T::Number,
       {kCycle},
       momentum("cycle-beta1-decay"),
       "0"},

      {"lr_range_test_min_lr", T::Number, {kRange}, rate(), "0.001"},
      {"lr_range_test_step_size",
       T::Count,
       {kRange},
       number("range-steps", 1),
       "2000"},
      {"lr_range_test_step_rate",
       T::Number,
       {kRange},
       number("range-rate"),
       "1"},
      {"lr_range_test_staircase",
       T::Boolean,
       {kRange},
       compiledSwitch("range-staircase")},

      {"last_batch_iteration", T::Number, kinds(), judgeStart},
  };
  return table;
}

Verdict judgeType(Judging &judging, const ConfigNode &node) {
  std::string kind = kindOf(judging);
  if (kind.empty())
    return refused(concat("dsc has the schedulers of DeepSpeed, not '",
                          node.text, "'", suggestion(node.text, kinds())));
  bool isOpen = judging.isAuto(pointerOf("total_num_steps"));
  std::vector<const char *> needed;
  if (kind == kCycle)
    needed = {"cycle_min_lr", "cycle_max_lr"};
  else if (!isOpen && (kind == kDecay || kind == kCosine))
    needed = {"total_num_steps"};
  for (const char *parameter : needed)
    if (!judging.find(pointerOf(parameter)))
      return refused(concat(kind, " needs the parameter \"", parameter, "\""));
  judging.compile("lr-schedule", kind);
  // The length of the run, once dsrun knows it.
  if (isOpen && (kind == kDecay || kind == kCosine))
    judging.run("total-steps", "auto");
  addDefaults(judging, kSection, kind, table());
  return honoured();
}

} // namespace

bool dsc::runtime::cyclesMomentum(const Judging &judging) {
  std::string optimizer = judging.text("/optimizer/type");
  bool hasBetas = optimizer.empty() || (optimizer[0] | 32) == 'a';
  bool isOff = judging.find(pointerOf("cycle_momentum")) &&
               !judging.isOn(pointerOf("cycle_momentum"));
  return kindOf(judging) == kCycle && hasBetas && !isOff;
}

KeyRules dsc::runtime::schedulerRules() {
  KeyRules rules = parameterRules("/scheduler", table(), kindOf);
  rules.push_back({"/scheduler/type", ConfigType::Text, judgeType});
  return rules;
}
