#include "runtime/driver/Settings.h"

#include <algorithm>

using namespace dsc::runtime;

std::vector<SettingOption>
dsc::runtime::settingOptionsOf(const Manifest &manifest) {
  std::vector<SettingOption> present;
  for (const SettingOption &option : settingOptions())
    if (manifest.findSetting(option.states[0]))
      present.push_back(option);
  return present;
}

Status dsc::runtime::checkSettings(const Module &module,
                                   const std::vector<SettingValue> &settings) {
  const Manifest &manifest = module.manifest();
  for (const SettingValue &value : settings) {
    if (value.isNeutral || manifest.findSetting(value.state))
      continue;
    std::string known;
    for (const SettingOption &option : settingOptionsOf(manifest))
      known += " --" + option.name;
    return usageError(value.option, ": the optimizer of '", module.path(),
                      "' (", manifest.optimizer, ") has no such number; it has",
                      known.empty() ? " none" : known);
  }
  return {};
}

Status dsc::runtime::applySettings(Session &session,
                                   const std::vector<SettingValue> &settings,
                                   uint64_t totalSteps) {
  const Manifest &manifest = session.module().manifest();
  for (const SettingValue &value : settings)
    if (!value.isNeutral || manifest.findSetting(value.state))
      DSC_RETURN_IF_ERROR(session.setSetting(
          value.state,
          value.value == kRunLength ? double(totalSteps) : value.value));
  return {};
}

std::string
dsc::runtime::scheduleNotice(const Manifest &manifest,
                             const std::vector<SettingValue> &settings,
                             uint64_t totalSteps) {
  const Manifest::Setting *total = manifest.findSetting("dsc.total_steps");
  bool given =
      std::any_of(settings.begin(), settings.end(), [](const auto &value) {
        return value.state == "dsc.total_steps";
      });
  if (!total || given || total->initial == double(totalSteps))
    return "";
  return concat("the learning rate's schedule is ", total->initial,
                " updates long and this run has ", totalSteps,
                "; --total-steps=", totalSteps, " fits it to the run");
}
