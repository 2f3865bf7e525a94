#include "runtime/checkpoint/SavedState.h"

using namespace dsc::runtime;

namespace {

/// Differences that a message lists.
constexpr size_t kListed = 5;

std::string describe(ElementType type, const Shape &shape) {
  return concat(info(type).name, " ", toString(shape));
}

} // namespace

bool dsc::runtime::isSaved(const Manifest::State &state) {
  return state.layout.state_class != DSRT_CLASS_GRADIENT &&
         state.layout.state_class != DSRT_CLASS_STAGING;
}

bool dsc::runtime::mayBeMissing(std::string_view stateClass,
                                std::string_view kind) {
  return stateClass == "scalar" &&
         (kind == "accumulator" || kind == "report" || kind == "setting");
}

std::string_view dsc::runtime::nameOfClass(const Manifest::State &state) {
  switch (state.layout.state_class) {
  case DSRT_CLASS_PARAMETER:
    return "parameter";
  case DSRT_CLASS_OPTIMIZER:
    return "optimizer";
  default:
    return "scalar";
  }
}

std::string dsc::runtime::modelHashOf(const Manifest &manifest) {
  std::vector<std::string> lines;
  for (const Manifest::Parameter &parameter : manifest.parameters) {
    const Manifest::State &state = manifest.states[parameter.state];
    lines.push_back(parameter.name + " " + describe(state.type, state.shape));
  }
  return checkpointModelHash(std::move(lines));
}

Status dsc::runtime::checkSameModel(const CheckpointManifest &checkpoint,
                                    const Manifest &module) {
  std::vector<std::string> differences;
  for (const Manifest::State &state : module.states) {
    if (!isSaved(state))
      continue;
    const CheckpointManifest::Tensor *saved = checkpoint.find(state.name);
    if (!saved) {
      if (!mayBeMissing(nameOfClass(state), state.kind))
        differences.push_back(concat("'", state.name, "' (",
                                     describe(state.type, state.shape),
                                     ") is not in it"));
    } else if (saved->type != state.type || saved->shape != state.shape) {
      differences.push_back(concat(
          "'", state.name, "' is ", describe(saved->type, saved->shape),
          " in it and ", describe(state.type, state.shape), " in the module"));
    }
  }
  for (const CheckpointManifest::Tensor &saved : checkpoint.tensors) {
    std::optional<uint32_t> state = module.findState(saved.name);
    if (!(state && isSaved(module.states[*state])) &&
        !mayBeMissing(saved.stateClass, saved.kind))
      differences.push_back(concat("'", saved.name, "' (",
                                   describe(saved.type, saved.shape),
                                   ") is in it and not in the module"));
  }
  if (differences.empty())
    return {};
  std::string list;
  for (size_t i = 0; i < std::min(differences.size(), kListed); ++i)
    list += (i ? ", " : "") + differences[i];
  if (differences.size() > kListed)
    list += concat(", and ", differences.size() - kListed, " more");
  return inputError("it is of another model or optimizer: ", list);
}
