#include "runtime/driver/Settings.h"

#include <algorithm>

using namespace dsc::runtime;

namespace {

constexpr const char *kTotalSteps = "dsc.total_steps";

bool isGiven(const std::vector<SettingValue> &settings,
             const std::string &state) {
  return std::any_of(settings.begin(), settings.end(),
                     [&](const auto &value) { return value.state == state; });
}

} // namespace

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
    if (manifest.findSetting(value.state))
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
  for (const SettingValue &value : settings)
    DSC_RETURN_IF_ERROR(session.setSetting(value.state, value.value));
  const Manifest &manifest = session.module().manifest();
  const Manifest::Setting *total = manifest.findSetting(kTotalSteps);
  if (total && total->initial == 0 && !isGiven(settings, kTotalSteps))
    return session.setScalar(kTotalSteps, double(totalSteps));
  return {};
}
