#include "compiler/import/onnx/ParameterUses.h"
#include "compiler/import/onnx/TensorData.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;
using train::ParameterRole;

static std::string describeSource(const Graph &graph,
                                  const Parameter &parameter) {
  switch (parameter.source) {
  case Parameter::Source::Initializer:
    return "float initializer";
  case Parameter::Source::Input:
    return "graph input";
  case Parameter::Source::Alias:
    return "Identity of '" + graph.node(parameter.index).input(0) +
           "' with its own name";
  case Parameter::Source::Constant:
    return "Constant node";
  case Parameter::Source::Fill:
    return "ConstantOfShape weight";
  }
  return "";
}

/// Role and reason of one parameter, but for what the gradient reaches.
static std::pair<ParameterRole, std::string>
classify(const Graph &graph, const ParameterUses &uses, const TrainRules &rules,
         const Parameter &parameter) {
  if (!isa<FloatType>(parameter.type.getElementType()))
    return {ParameterRole::Buffer, parameter.type.getElementType().isInteger(1)
                                       ? "truth values"
                                       : "integer tensor"};
  if (std::optional<TrainRules::Verdict> verdict = rules.lookup(parameter.name))
    return {verdict->train ? ParameterRole::Trainable : ParameterRole::Frozen,
            verdict->option};
  if (uses.isSetting(parameter.name))
    return {ParameterRole::Buffer, "only a shape, an index or a setting"};
  if (StringRef why = uses.scalarSetting(parameter); !why.empty())
    return {ParameterRole::Buffer, why.str()};
  if (uses.isMask(parameter.name))
    return {ParameterRole::Buffer, "mask: only in Where, in comparisons or "
                                   "added to attention scores"};
  StringRef input = uses.normalizedInput(parameter.name);
  if (!input.empty())
    return {ParameterRole::Buffer, ("normalises input '" + input + "'").str()};
  return {ParameterRole::Trainable, describeSource(graph, parameter)};
}

void onnx_import::classifyParameters(const Graph &graph,
                                     const TrainRules &rules,
                                     ParameterTable &parameters) {
  ParameterUses uses(graph, parameters);
  for (Parameter &parameter : parameters.all()) {
    std::tie(parameter.role, parameter.reason) =
        classify(graph, uses, rules, parameter);
    bool isSetting = uses.isSetting(parameter.name) ||
                     !uses.scalarSetting(parameter).empty();
    if (parameter.role == ParameterRole::Trainable &&
        uses.receivesGradient(parameter.name))
      continue;
    parameter.isSetting = isSetting;
    if (parameter.role != ParameterRole::Trainable)
      continue;
    parameter.role = ParameterRole::Frozen;
    parameter.reason += graph.uses(parameter.name).empty()
                            ? ", but no output depends on it"
                            : ", but no gradient reaches it";
  }
}
