#include "runtime/config/Rules.h"

#include <algorithm>

using namespace dsc::runtime;

namespace {

constexpr char kWhole[] = "dsc trains in f32; 16-bit training is not "
                          "supported";

/// The type of 16 bits that a section turns on.
void addHalf(KeyRules &rules, const std::string &section,
             const std::vector<std::pair<const char *, ConfigType>> &keys) {
  rules.push_back({section, ConfigType::Section, {}});
  rules.push_back({section + "/enabled", ConfigType::Boolean,
                   [](Judging &, const ConfigNode &node) {
                     if (isAuto(node))
                       return honoured("off, as --precision is f32");
                     return isTrue(node) ? refused(kWhole) : honoured();
                   },
                   true});
  for (auto [key, type] : keys)
    rules.push_back({section + "/" + key, type,
                     [section](Judging &judging, const ConfigNode &) {
                       return ignored(judging.isOn(section + "/enabled")
                                          ? "goes with " + section +
                                                "/enabled, which is refused"
                                          : section + "/enabled is not on");
                     }});
}

/// A type in which numbers are added or sent.
Judge wholeType(const char *what) {
  return [what](Judging &, const ConfigNode &node) {
    static const std::vector<std::string> whole = {"fp32", "float32", "float"};
    if (std::count(whole.begin(), whole.end(), node.text))
      return honoured();
    return refused(concat("it would change results: ", what, " are f32"));
  };
}

} // namespace

KeyRules dsc::runtime::precisionRules() {
  using T = ConfigType;
  KeyRules rules;
  addHalf(rules, "/fp16",
          {{"auto_cast", T::Boolean},
           {"loss_scale", T::Number},
           {"initial_scale_power", T::Number},
           {"loss_scale_window", T::Number},
           {"hysteresis", T::Number},
           {"consecutive_hysteresis", T::Boolean},
           {"min_loss_scale", T::Number},
           {"fp16_master_weights_and_grads", T::Boolean}});
  addHalf(rules, "/bf16",
          {{"immediate_grad_update", T::Boolean},
           {"check_grad_overflow", T::Boolean},
           {"bf16_master_weights_and_grads", T::Boolean},
           {"bf16_optimizer_states", T::Boolean}});
  addHalf(rules, "/amp", {{"opt_level", T::Text}, {"loss_scale", T::Any}});
  addHalf(rules, "/torch_autocast",
          {{"dtype", T::Text}, {"lower_precision_safe_modules", T::Any}});
  rules.push_back({"/data_types", T::Section, {}});
  rules.push_back(
      {"/data_types/grad_accum_dtype", T::Text, wholeType("gradients")});
  rules.push_back(
      {"/communication_data_type", T::Text, wholeType("what is sent")});
  rules.push_back({"/seq_parallel_communication_data_type", T::Text,
                   always(ignored("no tensor is cut along the sequence"))});
  rules.push_back({"/fp32_allreduce", T::Boolean,
                   always(honoured("gradients are added in f32"))});
  return rules;
}
