#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/Parameters.h"
#include "llvm/ADT/StringSet.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;
using train::ParameterRole;

namespace {

/// Answers questions about how the graph uses its parameters.
class Classifier {
public:
  Classifier(const Graph &graph, const ParameterTable &parameters)
      : graph(graph), parameters(parameters) {
    findGradientPaths();
    findNormalizers();
  }

  bool receivesGradient(StringRef name) const {
    return gradientPaths.contains(name);
  }
  /// The graph input that `name` normalises, or "".
  StringRef normalizedInput(StringRef name) const {
    return normalizers.lookup(name);
  }
  bool isSetting(StringRef name) const;
  bool isMask(StringRef name) const;

private:
  void findGradientPaths();
  void findNormalizers();
  bool feedsTrainedOp(StringRef name) const;
  bool feedsOnlySoftmax(StringRef name) const;
  bool isAttentionScore(StringRef name) const;
  const onnx::NodeProto *producer(StringRef name) const;

  const Graph &graph;
  const ParameterTable &parameters;
  /// Values that a gradient of some output reaches.
  llvm::StringSet<> gradientPaths;
  /// Normaliser to the graph input that it is applied to.
  llvm::StringMap<StringRef> normalizers;
};

bool isOneOf(const onnx::NodeProto &node,
             std::initializer_list<StringRef> names) {
  return llvm::is_contained(names, StringRef(node.op_type()));
}

/// Operators that hand their first input on, but for its shape or type.
bool isView(const onnx::NodeProto &node) {
  return isOneOf(node, {"Identity", "Cast", "Reshape", "Flatten", "Transpose",
                        "Squeeze", "Unsqueeze", "Dropout"});
}

} // namespace

const onnx::NodeProto *Classifier::producer(StringRef name) const {
  const Definition *definition = graph.lookup(name);
  return definition && definition->kind == Definition::Kind::Node &&
                 !parameters.lookup(name)
             ? &graph.node(definition->index)
             : nullptr;
}

void Classifier::findGradientPaths() {
  for (const onnx::ValueInfoProto &output : graph.model().graph().output())
    gradientPaths.insert(output.name());
  for (int index : llvm::reverse(graph.liveNodes())) {
    const onnx::NodeProto &node = graph.node(index);
    if (parameters.isDefinedBy(node) ||
        llvm::none_of(node.output(), [&](const std::string &output) {
          return gradientPaths.contains(output);
        }))
      continue;
    for (auto [i, name] : llvm::enumerate(graph.inputs(index)))
      if (!name.empty() && passesGradient(node, i))
        gradientPaths.insert(name);
  }
}

//===----------------------------------------------------------------------===//
// Settings and masks
//===----------------------------------------------------------------------===//

bool Classifier::isSetting(StringRef name) const {
  ArrayRef<Use> uses = graph.uses(name);
  return !uses.empty() && llvm::all_of(uses, [&](const Use &use) {
    return isSettingInput(graph.node(use.node), use.input);
  });
}

/// True if `name` reaches nothing but Softmax, through sums and views.
bool Classifier::feedsOnlySoftmax(StringRef name) const {
  SmallVector<StringRef> work = {name};
  llvm::StringSet<> seen;
  while (!work.empty()) {
    ArrayRef<Use> uses = graph.uses(work.pop_back_val());
    if (uses.empty())
      return false;
    for (const Use &use : uses) {
      const onnx::NodeProto &node = graph.node(use.node);
      if (isOneOf(node, {"Softmax"}))
        continue;
      if (node.output_size() != 1 || !(isView(node) || isOneOf(node, {"Add"})))
        return false;
      if (seen.insert(node.output(0)).second)
        work.push_back(node.output(0));
    }
  }
  return true;
}

/// True if `name` is a scaled product of two activations. What is added before
/// the softmax of a classifier is its bias, and that product has a parameter.
bool Classifier::isAttentionScore(StringRef name) const {
  while (const onnx::NodeProto *node = producer(name)) {
    if (node->input_size() == 0)
      return false;
    if (isOneOf(*node, {"MatMul"}))
      return llvm::none_of(node->input(), [&](StringRef input) {
        while (const onnx::NodeProto *view = producer(input)) {
          if (!isView(*view) || view->input_size() == 0)
            break;
          input = view->input(0);
        }
        return parameters.lookup(input) != nullptr;
      });
    if (!isView(*node) && !isOneOf(*node, {"Mul", "Div", "Add"}))
      return false;
    name = node->input(0);
  }
  return false;
}

bool Classifier::isMask(StringRef name) const {
  ArrayRef<Use> uses = graph.uses(name);
  return !uses.empty() && llvm::all_of(uses, [&](const Use &use) {
    const onnx::NodeProto &node = graph.node(use.node);
    if (isOneOf(node, {"Where", "Equal", "Greater", "GreaterOrEqual", "Less",
                       "LessOrEqual"}))
      return true;
    return isOneOf(node, {"Add"}) && node.input_size() == 2 &&
           isAttentionScore(node.input(1 - use.input)) &&
           feedsOnlySoftmax(node.output(0));
  });
}

//===----------------------------------------------------------------------===//
// Normalisers
//===----------------------------------------------------------------------===//

/// True if some user of `name`, or of what is made from it, also reads a
/// parameter that is no normaliser.
bool Classifier::feedsTrainedOp(StringRef name) const {
  SmallVector<StringRef> work = {name};
  llvm::StringSet<> seen;
  while (!work.empty()) {
    for (const Use &use : graph.uses(work.pop_back_val())) {
      for (StringRef input : graph.inputs(use.node))
        if (parameters.lookup(input) && !normalizers.contains(input))
          return true;
      for (const std::string &output : graph.node(use.node).output())
        if (seen.insert(output).second)
          work.push_back(output);
    }
  }
  return false;
}

void Classifier::findNormalizers() {
  // Values that are a graph input but for elementwise arithmetic, with it.
  llvm::StringMap<StringRef> raw;
  SmallVector<std::pair<StringRef, StringRef>> results;
  for (const onnx::ValueInfoProto &input : graph.model().graph().input())
    if (!parameters.lookup(input.name()))
      raw[input.name()] = input.name();
  for (int index : graph.liveNodes()) {
    const onnx::NodeProto &node = graph.node(index);
    if (node.output_size() != 1 || node.input_size() == 0)
      continue;
    if (isView(node) && raw.contains(node.input(0)))
      raw[node.output(0)] = raw[node.input(0)];
    if (!isOneOf(node, {"Add", "Sub", "Mul", "Div"}) || node.input_size() != 2)
      continue;
    for (unsigned i : {0u, 1u}) {
      StringRef other = node.input(1 - i);
      if (!raw.contains(other) || !parameters.lookup(node.input(i)) ||
          graph.uses(node.input(i)).size() != 1)
        continue;
      raw[node.output(0)] = raw[other];
      normalizers[node.input(i)] = raw[other];
      results.push_back({node.input(i), node.output(0)});
    }
  }
  // What nothing trained follows is itself what the user wants to train.
  for (auto [name, result] : results)
    if (!feedsTrainedOp(result))
      normalizers.erase(name);
}

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

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
classify(const Graph &graph, const Classifier &classifier,
         const TrainRules &rules, const Parameter &parameter) {
  if (!isa<FloatType>(parameter.type.getElementType()))
    return {ParameterRole::Buffer, parameter.type.getElementType().isInteger(1)
                                       ? "truth values"
                                       : "integer tensor"};
  if (std::optional<TrainRules::Verdict> verdict = rules.lookup(parameter.name))
    return {verdict->train ? ParameterRole::Trainable : ParameterRole::Frozen,
            verdict->option};
  if (classifier.isSetting(parameter.name))
    return {ParameterRole::Buffer, "only a shape, an index or a setting"};
  if (classifier.isMask(parameter.name))
    return {ParameterRole::Buffer, "mask: only in Where, in comparisons or "
                                   "added to attention scores"};
  StringRef input = classifier.normalizedInput(parameter.name);
  if (!input.empty())
    return {ParameterRole::Buffer, ("normalises input '" + input + "'").str()};
  return {ParameterRole::Trainable, describeSource(graph, parameter)};
}

void onnx_import::classifyParameters(const Graph &graph,
                                     const TrainRules &rules,
                                     ParameterTable &parameters) {
  Classifier classifier(graph, parameters);
  for (Parameter &parameter : parameters.all()) {
    std::tie(parameter.role, parameter.reason) =
        classify(graph, classifier, rules, parameter);
    if (parameter.role != ParameterRole::Trainable ||
        classifier.receivesGradient(parameter.name))
      continue;
    parameter.role = ParameterRole::Frozen;
    parameter.reason += graph.uses(parameter.name).empty()
                            ? ", but no output depends on it"
                            : ", but no gradient reaches it";
  }
}
