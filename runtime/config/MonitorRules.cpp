#include "runtime/config/Rules.h"

using namespace dsc::runtime;

namespace {

/// As DeepSpeed names the folder.
std::string folderOf(const Judging &judging, const std::string &section) {
  std::string path = judging.text(section + "/output_path");
  std::string job = judging.text(section + "/job_name");
  if (!path.empty() && !path.ends_with('/'))
    path += '/';
  return path + (job.empty() ? "DeepSpeedJobName" : job);
}

/// The monitors that are on, as --monitor takes them.
std::string monitorList(const Judging &judging) {
  std::string list;
  for (auto [section, kind] : {std::pair{"/csv_monitor", "csv"},
                               std::pair{"/tensorboard", "tensorboard"}})
    if (judging.isOn(std::string(section) + "/enabled"))
      list += (list.empty() ? "" : ",") + std::string(kind) + ":" +
              folderOf(judging, section);
  return list;
}

void addMonitor(KeyRules &rules, const std::string &section) {
  using T = ConfigType;
  rules.push_back({section, T::Section, {}});
  rules.push_back({section + "/enabled", T::Boolean,
                   [section](Judging &judging, const ConfigNode &node) {
                     if (!isTrue(node))
                       return honoured();
                     if (folderOf(judging, section).find(',') !=
                         std::string::npos)
                       return refused("the folder's name has a comma, which "
                                      "--monitor cannot take");
                     judging.run("monitor", monitorList(judging));
                     return honoured();
                   }});
  for (const char *key : {"/output_path", "/job_name"})
    rules.push_back({section + key, T::Text,
                     [section](Judging &judging, const ConfigNode &) {
                       if (!judging.isOn(section + "/enabled"))
                         return ignored(section + "/enabled is not on");
                       return honoured("part of --monitor's folder");
                     }});
}

/// A service that dsrun does not report to.
void addService(KeyRules &rules, const std::string &section,
                const std::vector<std::pair<const char *, ConfigType>> &keys) {
  Verdict verdict = ignored("there is no such monitor; --metrics and --monitor "
                            "write files that it can import");
  rules.push_back({section, ConfigType::Section, {}});
  rules.push_back({section + "/enabled", ConfigType::Boolean, offOr(verdict)});
  for (auto [key, type] : keys)
    rules.push_back({section + "/" + key, type, always(verdict)});
}

} // namespace

KeyRules dsc::runtime::monitorRules() {
  using T = ConfigType;
  KeyRules rules = {
      {"/steps_per_print", T::Count,
       [](Judging &judging, const ConfigNode &node) {
         if (node.number < 1)
           return refused("must be at least 1");
         judging.run("steps-per-print", countText(node));
         return honoured();
       }},
      {"/wall_clock_breakdown", T::Boolean,
       [](Judging &judging, const ConfigNode &node) {
         if (isTrue(node))
           judging.run("wall-clock-breakdown", "");
         return honoured();
       }},
      {"/memory_breakdown", T::Boolean,
       offOr(ignored("'dsc --plan' says where memory goes"))},
      {"/dump_state", T::Boolean,
       offOr(ignored("'dsrun --print-config' and 'dsc explain' print it"))},
  };
  addMonitor(rules, "/csv_monitor");
  addMonitor(rules, "/tensorboard");
  addService(rules, "/wandb",
             {{"group", T::Text}, {"team", T::Text}, {"project", T::Text}});
  addService(rules, "/comet",
             {{"samples_log_interval", T::Count},
              {"project", T::Text},
              {"workspace", T::Text},
              {"api_key", T::Text},
              {"experiment_name", T::Text},
              {"experiment_key", T::Text},
              {"online", T::Boolean},
              {"mode", T::Text}});
  return rules;
}
