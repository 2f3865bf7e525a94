#include "runtime/machine/Machine.h"

#include "runtime/machine/MachineFields.h"

#include <nlohmann/json.hpp>

using namespace dsc::runtime;

Status Machine::checkRanks(uint64_t ranks) const {
  if (levels.empty() || ranks <= levels.back().ranks)
    return {};
  const Level &last = levels.back();
  return inputError(ranksPlace.empty() ? name : ranksPlace, ": the level '",
                    last.name, "' joins ", last.ranks, " ranks, and ", ranks,
                    " are asked for; expected a last level of at least ",
                    ranks);
}

std::string dsc::runtime::printMachine(const Machine &machine) {
  using nlohmann::ordered_json;
  auto print = [](const auto &fields, const auto &of) {
    ordered_json object = ordered_json::object();
    for (const auto &field : fields)
      object[field.key] = of.*field.member;
    return object;
  };
  ordered_json device = ordered_json::object();
  device["flops"] = print(kFlops, machine.device);
  device.update(print(kDevice, machine.device));
  device["memory_bytes"] = machine.device.memoryBytes;
  if (machine.device.cacheBytes) {
    device["cache_bytes"] = machine.device.cacheBytes;
    device["cache_bandwidth"] = machine.device.cacheBandwidth;
  }
  device["shared"] = machine.device.isShared;
  ordered_json levels = ordered_json::array();
  for (const Machine::Level &level : machine.levels) {
    ordered_json object = {{"name", level.name}, {"ranks", level.ranks}};
    object.update(print(kLevel, level));
    levels.push_back(object);
  }
  ordered_json root = {{"name", machine.name},
                       {"source", machine.source},
                       {"device", device},
                       {"efficiency", print(kEfficiency, machine.efficiency)},
                       {"levels", levels},
                       {"storage", print(kStorage, machine.storage)}};
  // Names may be any bytes.
  return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}
