#include "runtime/config/Parameters.h"
#include "runtime/config/Suggest.h"

#include <algorithm>

using namespace dsc::runtime;

namespace {

constexpr char kAdam[] = "adam", kAdamW[] = "adamw", kSgd[] = "sgd";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool isPlainAdam(const Judging &judging) {
  return judging.find("/optimizer/params/adam_w_mode") &&
         !judging.isOn("/optimizer/params/adam_w_mode");
}

/// What --optimizer calls it; empty if dsc does not have it. DeepSpeed's own
/// optimizers are named in any case, and its Adam is AdamW unless told
/// otherwise.
std::string kindOf(const Judging &judging) {
  std::string type = lower(judging.text("/optimizer/type"));
  if (type == kAdam)
    return isPlainAdam(judging) ? kAdam : kAdamW;
  return type == kAdamW || type == kSgd ? type : "";
}

Judge number(const char *option, const char *goesWith = "") {
  return [=](Judging &judging, const ConfigNode &node) {
    judging.both(option, node.text, goesWith);
    if (node.number == 0)
      judging.neutral();
    return honoured();
  };
}

Verdict judgeLr(Judging &judging, const ConfigNode &node) {
  std::string scheduler = judging.text("/scheduler/type");
  if (!scheduler.empty() && scheduler != "WarmupCosineLR")
    return ignored("the scheduler " + scheduler + " sets the learning rate");
  return number("lr")(judging, node);
}

Verdict judgeBetas(Judging &judging, const ConfigNode &node) {
  if (cyclesMomentum(judging))
    return ignored("OneCycle sets them, as cycle_momentum is on");
  for (const ConfigNode &beta : node.items)
    if (!(beta.number >= 0 && beta.number < 1))
      return refused("each must be at least 0 and below 1");
  judging.both("betas", node.items[0].text + "," + node.items[1].text,
               "optimizer");
  return honoured();
}

Verdict judgeNesterov(Judging &judging, const ConfigNode &node) {
  const ConfigNode *momentum = judging.find("/optimizer/params/momentum");
  if (!isTrue(node))
    return honoured();
  if (!momentum || momentum->number == 0)
    return refused("needs a momentum above 0");
  judging.compile("nesterov", "", "optimizer");
  return honoured();
}

Verdict judgeAdamMode(Judging &judging, const ConfigNode &node) {
  if (lower(judging.text("/optimizer/type")) == kAdamW)
    return ignored("type AdamW decays as AdamW does, whatever this says");
  return honoured(isTrue(node) ? "decays as AdamW does"
                               : "decays as Adam does");
}

Verdict judgeGradNorm(Judging &, const ConfigNode &node) {
  if (node.number == 0)
    return honoured();
  return refused("the bound of the norm is the key gradient_clipping, here and "
                 "in DeepSpeed");
}

/// PyTorch's AdamW decays by default; DeepSpeed's own does not.
std::string defaultDecay(const Judging &judging) {
  bool isTorch = judging.isOn("/optimizer/params/torch_adam");
  return isTorch && kindOf(judging) == kAdamW ? "0.01" : "0";
}

const ParameterTable &table() {
  static const std::vector<std::string> adams = {kAdam, kAdamW},
                                        all = {kAdam, kAdamW, kSgd};
  static const Judge speed = always(ignored("chooses among implementations of "
                                            "the same formula; dsc has one"));
  static const Judge plain = [](Judging &, const ConfigNode &node) {
    return isTrue(node) ? refused("dsc does not have this variant")
                        : honoured();
  };
  static const ParameterTable table = [] {
    ParameterTable rows = {
        {"lr", ConfigType::Number, all, within(0, INFINITY, judgeLr), "1e-3"},
        {"betas", ConfigType::Pair, adams, judgeBetas, "0.9,0.999"},
        {"eps", ConfigType::Number, adams,
         within(0, INFINITY, number("eps", "optimizer")), "1e-8"},
        {"weight_decay", ConfigType::Number, all,
         within(0, INFINITY, number("weight-decay")), defaultDecay},
        {"momentum",
         ConfigType::Number,
         {kSgd},
         within(0, INFINITY, number("momentum", "optimizer")),
         "0"},
        {"nesterov", ConfigType::Boolean, {kSgd}, judgeNesterov},
        {"dampening", ConfigType::Number, {kSgd}, plainZero()},
        {"maximize", ConfigType::Boolean, all, plain},
        {"adam_w_mode", ConfigType::Boolean, adams, judgeAdamMode},
        {"torch_adam", ConfigType::Boolean, adams, speed},
        {"bias_correction", ConfigType::Boolean, adams,
         [](Judging &, const ConfigNode &node) {
           return isTrue(node) ? honoured()
                               : refused("dsc corrects the bias of the moments "
                                         "always");
         }},
        {"amsgrad", ConfigType::Boolean, adams, plain},
        {"max_grad_norm", ConfigType::Number, all, judgeGradNorm},
        {"set_grad_none", ConfigType::Boolean, adams, speed},
        {"fp32_optimizer_states", ConfigType::Boolean, adams, speed},
        {"fused", ConfigType::Boolean, all, speed},
        {"foreach", ConfigType::Boolean, all, speed},
        {"capturable", ConfigType::Boolean, adams, speed},
        {"differentiable", ConfigType::Boolean, all, speed},
    };
    // Of optimizers that dsc does not have.
    for (const char *name :
         {"freeze_step", "cuda_aware", "comm_backend_name", "var_freeze_step",
          "var_update_scaler", "local_step_scaler", "local_step_clipper",
          "max_coeff", "min_coeff", "coeff_beta", "factor_max", "factor_min",
          "factor_threshold", "muon_lr", "adam_lr", "ns_method", "use_muon"})
      rows.push_back({name, ConfigType::Any, {}, Judge()});
    return rows;
  }();
  return table;
}

Verdict judgeType(Judging &judging, const ConfigNode &node) {
  std::string kind = kindOf(judging);
  if (kind.empty())
    return refused(concat("dsc has the optimizers Adam, AdamW and SGD, not '",
                          node.text, "'",
                          suggestion(node.text, {"Adam", "AdamW", "SGD"})));
  judging.compile("optimizer", kind);
  addDefaults(judging, "/optimizer/params", kind, table());
  return honoured();
}

} // namespace

KeyRules dsc::runtime::optimizerRules() {
  KeyRules rules = parameterRules("/optimizer", table(), kindOf);
  rules.push_back({"/optimizer/type", ConfigType::Text, judgeType});
  rules.push_back({"/optimizer/legacy_fusion", ConfigType::Boolean,
                   always(ignored("chooses among implementations of the same "
                                  "formula; dsc has one"))});
  rules.push_back({"/gradient_clipping", ConfigType::Number,
                   within(0, INFINITY,
                          [](Judging &judging, const ConfigNode &node) {
                            // The default of the trainers that resolve "auto".
                            judging.both("clip-norm",
                                         isAuto(node) ? "1.0" : node.text);
                            if (!isAuto(node) && node.number == 0)
                              judging.neutral();
                            return honoured();
                          }),
                   true});
  return rules;
}
