#ifndef DSC_RUNTIME_CONFIG_PARAMETERS_H
#define DSC_RUNTIME_CONFIG_PARAMETERS_H

#include "runtime/config/Rules.h"

namespace dsc::runtime {

/// A key of "params" of the optimizer or the scheduler: which kinds have it,
/// and what holds without it.
struct Parameter {
  std::string name;
  ConfigType type;
  std::vector<std::string> kinds;
  Judge judge;
  /// The value where it is not given or "auto", as in JSON but for a pair's
  /// brackets; empty for what needs no option then.
  std::function<std::string(const Judging &)> defaultText;

  Parameter(std::string name, ConfigType type, std::vector<std::string> kinds,
            Judge judge, const char *defaultText = "")
      : Parameter(std::move(name), type, std::move(kinds), std::move(judge),
                  [defaultText](const Judging &) {
                    return std::string(defaultText);
                  }) {}
  Parameter(std::string name, ConfigType type, std::vector<std::string> kinds,
            Judge judge,
            std::function<std::string(const Judging &)> defaultText)
      : name(std::move(name)), type(type), kinds(std::move(kinds)),
        judge(std::move(judge)), defaultText(std::move(defaultText)) {}
};

using ParameterTable = std::vector<Parameter>;

/// The rows of SECTION, SECTION/params and the keys in it. `kindOf` names the
/// kind that the configuration chooses; empty if dsc does not have it.
KeyRules parameterRules(const std::string &section, const ParameterTable &table,
                        std::function<std::string(const Judging &)> kindOf);

/// Adds the options for the parameters of a kind that are not given, to the key
/// that is judged.
void addDefaults(Judging &judging, const std::string &section,
                 const std::string &kind, const ParameterTable &table);

/// A number that has to be 0.
Judge plainZero();

/// Whether the scheduler is OneCycle and moves Adam's first beta.
bool cyclesMomentum(const Judging &judging);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CONFIG_PARAMETERS_H
