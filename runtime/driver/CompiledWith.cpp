#include "runtime/driver/CompiledWith.h"

using namespace dsc::runtime;

namespace {

/// An option of dsc that no number of dsrun can make up for.
struct Structure {
  const char *name;
  const char *defaultValue;
  bool changesResults; ///< Beyond rounding.
};

constexpr Structure kStructure[] = {
    {"optimizer", "adamw", true},
    {"lr-schedule", "constant", true},
    {"warmup-type", "log", true},
    {"nesterov", "false", true},
    {"cycle-momentum", "false", true},
    {"range-staircase", "false", true},
    {"zero", "0", false},
    {"persistence-threshold", "0", false},
    {"bucket-size", "0", false},
    {"offload-optimizer", "none", false},
};

/// A switch that is given without a value is on.
std::string valueOf(const Structure &structure, const std::string &text) {
  bool isSwitch = std::string(structure.defaultValue) == "false";
  return isSwitch && text.empty() ? "true" : text;
}

} // namespace

Status dsc::runtime::checkCompiled(const Module &module,
                                   const RunOptions &options,
                                   std::vector<std::string> &notices) {
  const auto &given = module.manifest().options;
  for (const ConfigOption &wanted : options.compiledWith)
    for (const Structure &structure : kStructure) {
      if (wanted.name != structure.name)
        continue;
      auto found = given.find(wanted.name);
      std::string compiled = found == given.end()
                                 ? structure.defaultValue
                                 : valueOf(structure, found->second);
      std::string asked = valueOf(structure, wanted.value);
      if (asked == compiled)
        continue;
      std::string sentence = concat(
          wanted.origin, ": asks for --", wanted.name, "=", asked, ", and '",
          module.path(), "' was compiled with --", wanted.name, "=", compiled);
      if (structure.changesResults)
        return inputError(sentence,
                          "; compile it with dsc --config=", options.config);
      notices.push_back(sentence);
    }
  return {};
}
