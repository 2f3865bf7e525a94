#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/Parameters.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

namespace {

/// A node without an importer, and a trained parameter whose gradient would
/// pass through it, if there is one.
struct Unsupported {
  int node;
  StringRef parameter;
};

} // namespace

/// Maps each value that depends differentiably on a trained parameter to the
/// first such parameter.
static llvm::StringMap<StringRef>
findTrainedValues(const Graph &graph, const ParameterTable &parameters) {
  llvm::StringMap<StringRef> trained;
  for (const Parameter &parameter : parameters.all())
    if (parameter.role == train::ParameterRole::Trainable)
      trained[parameter.name] = parameter.name;
  for (int index : graph.liveNodes()) {
    const onnx::NodeProto &node = graph.node(index);
    if (parameters.isDefinedBy(node))
      continue;
    for (auto [i, name] : llvm::enumerate(graph.inputs(index))) {
      auto source = trained.find(name);
      if (source == trained.end() || !passesGradient(node, i))
        continue;
      for (const std::string &output : node.output())
        trained.try_emplace(output, source->second);
      break;
    }
  }
  return trained;
}

/// Values from which a gradient of an output comes back.
static llvm::StringSet<> findGradientPaths(const Graph &graph) {
  llvm::StringSet<> paths;
  for (const onnx::ValueInfoProto &output : graph.model().graph().output())
    paths.insert(output.name());
  for (int index : llvm::reverse(graph.liveNodes())) {
    const onnx::NodeProto &node = graph.node(index);
    if (llvm::none_of(node.output(), [&](const std::string &output) {
          return paths.contains(output);
        }))
      continue;
    for (auto [i, name] : llvm::enumerate(graph.inputs(index)))
      if (passesGradient(node, i))
        paths.insert(name);
  }
  return paths;
}

static LogicalResult report(const Graph &graph, StringRef what,
                            ArrayRef<Unsupported> nodes) {
  const Model &model = graph.model();
  SmallVector<std::string> names;
  for (const Unsupported &unsupported : nodes) {
    std::string name = operatorName(graph.node(unsupported.node));
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  }
  InFlightDiagnostic diagnostic = emitError(model.location())
                                  << what << ": " << llvm::join(names, ", ");
  for (const Unsupported &unsupported : nodes) {
    Diagnostic &note =
        diagnostic.attachNote(model.nodeLocation(unsupported.node));
    note << "not supported at opset " << model.origins[unsupported.node].opset;
    if (!unsupported.parameter.empty())
      note << "; the gradient of parameter '" << unsupported.parameter
           << "' passes through it";
  }
  return diagnostic;
}

LogicalResult onnx_import::checkOperators(const Graph &graph,
                                          const ParameterTable &parameters) {
  llvm::StringMap<StringRef> trained = findTrainedValues(graph, parameters);
  llvm::StringSet<> paths = findGradientPaths(graph);
  SmallVector<Unsupported> onPath, elsewhere;
  for (int index : graph.liveNodes()) {
    const onnx::NodeProto &node = graph.node(index);
    if (lookupImport(node, graph.model().origins[index].opset))
      continue;
    auto output = llvm::find_if(node.output(), [&](const std::string &name) {
      return paths.contains(name) && trained.contains(name);
    });
    if (output != node.output().end())
      onPath.push_back({index, trained.lookup(*output)});
    else
      elsewhere.push_back({index, ""});
  }
  if (!onPath.empty())
    return report(
        graph, "unsupported operators between trained parameters and outputs",
        onPath);
  if (!elsewhere.empty())
    return report(graph, "unsupported operators", elsewhere);
  return success();
}
