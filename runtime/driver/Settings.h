#ifndef DSC_RUNTIME_DRIVER_SETTINGS_H
#define DSC_RUNTIME_DRIVER_SETTINGS_H

#include "runtime/driver/Options.h"
#include "runtime/program/Session.h"

namespace dsc::runtime {

/// The options among settingOptions() whose numbers the module has.
std::vector<SettingOption> settingOptionsOf(const Manifest &manifest);

/// Checks that the module has all numbers that the command line gives. The
/// message lists the options that it has.
Status checkSettings(const Module &module,
                     const std::vector<SettingValue> &settings);

/// Writes them into the session. `totalSteps`: the updates of the run.
Status applySettings(Session &session,
                     const std::vector<SettingValue> &settings,
                     uint64_t totalSteps);

/// What to tell a user whose schedule was compiled for another number of
/// updates than this run has; empty if all is well.
std::string scheduleNotice(const Manifest &manifest,
                           const std::vector<SettingValue> &settings,
                           uint64_t totalSteps);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_SETTINGS_H
