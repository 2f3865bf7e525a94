#include "compiler/import/onnx/Graph.h"
#include "compiler/import/onnx/TensorBytes.h"
#include "compiler/import/onnx/TensorData.h"
#include "mlir/IR/Diagnostics.h"

using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

FailureOr<Graph> Graph::build(const Model &model) {
  Graph graph(model);
  if (failed(graph.defineNames()))
    return failure();
  graph.collectInputs();
  if (failed(graph.checkInputs()) || failed(graph.sortNodes()))
    return failure();
  for (int node : graph.live)
    for (auto [i, name] : llvm::enumerate(graph.inputs(node)))
      if (!name.empty())
        graph.users[name].push_back({node, unsigned(i)});
  return graph;
}

const Definition *Graph::lookup(StringRef name) const {
  auto it = definitions.find(name);
  return it == definitions.end() ? nullptr : &it->second;
}

llvm::ArrayRef<Use> Graph::uses(StringRef name) const {
  auto it = users.find(name);
  return it == users.end() ? ArrayRef<Use>() : ArrayRef<Use>(it->second);
}

/// The value of a constant definition: a Constant node or an initializer. Null
/// for others.
static Attribute constantOf(const Model &model, const Definition &definition) {
  using Kind = Definition::Kind;
  // What does not read as a tensor is reported where it is used.
  ScopedDiagnosticHandler silence(model.context,
                                  [](Diagnostic &) { return success(); });
  auto emit = [&] { return emitError(model.location()); };
  const onnx::TensorProto *tensor =
      definition.kind == Kind::Initializer
          ? &model.graph().initializer(definition.index)
      : definition.kind == Kind::Node
          ? constantTensor(model.graph().node(definition.index))
          : nullptr;
  if (!tensor)
    return {};
  FailureOr<RankedTensorType> type = tensorType(*tensor, model.context, emit);
  if (failed(type))
    return {};
  std::string missing;
  if (definition.kind == Kind::Initializer)
    return locateData(model, definition.index, *type, missing, emit)
        .value_or(Attribute());
  return readElements(*tensor, *type, emit).value_or(DenseElementsAttr());
}

static bool haveEqualBytes(const Model &model, Attribute lhs, Attribute rhs) {
  std::optional<TensorBytes> left = TensorBytes::open(model, lhs);
  std::optional<TensorBytes> right = TensorBytes::open(model, rhs);
  return left && right && left->data() == right->data();
}

/// Lets `next` define `name` in place of what defined it, if both are
/// constants.
bool Graph::replaceConstant(StringRef name, Definition next) {
  Definition &last = definitions.find(name)->second;
  Attribute old = constantOf(*source, last), value = constantOf(*source, next);
  if (!old || !value)
    return false;
  Location loc = next.kind == Definition::Kind::Node
                     ? source->nodeLocation(next.index)
                     : source->initializerLocation(name);
  (haveEqualBytes(*source, old, value) ? equalDuplicates : otherDuplicates)
      .push_back({name, loc});
  last = next;
  return true;
}

LogicalResult Graph::defineNames() {
  const onnx::GraphProto &graph = source->graph();
  bool ok = true;
  // The second definition of a name is an error at its place.
  auto define = [&](StringRef name, Definition definition, Location loc) {
    if (!name.empty() && (definitions.try_emplace(name, definition).second ||
                          replaceConstant(name, definition)))
      return;
    if (name.empty())
      emitError(loc) << "has no name";
    else
      emitError(loc) << "defines '" << name
                     << "', which is already defined elsewhere in the graph";
    ok = false;
  };
  for (auto [i, tensor] : llvm::enumerate(graph.initializer()))
    define(tensor.name(), {Definition::Kind::Initializer, int(i)},
           source->initializerLocation(tensor.name()));
  llvm::StringSet<> inputs;
  for (auto [i, input] : llvm::enumerate(graph.input())) {
    const Definition *other = lookup(input.name());
    bool isDefault = other && other->kind == Definition::Kind::Initializer &&
                     inputs.insert(input.name()).second;
    if (!isDefault)
      define(input.name(), {Definition::Kind::Input, int(i)},
             source->inputLocation(input.name()));
  }
  for (auto [i, node] : llvm::enumerate(graph.node()))
    for (const std::string &output : node.output())
      if (!output.empty())
        define(output, {Definition::Kind::Node, int(i)},
               source->nodeLocation(i));
  reportDuplicates();
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer()) {
    emitError(source->initializerLocation(tensor.values().name()),
              "sparse initializers are not supported; store it dense");
    ok = false;
  }
  if (graph.output().empty()) {
    emitError(source->location(), "the graph has no outputs");
    ok = false;
  }
  for (const onnx::ValueInfoProto &output : graph.output()) {
    if (outputs.insert(output.name()).second)
      continue;
    emitError(source->outputLocation(output.name()), "is listed twice");
    ok = false;
  }
  return success(ok);
}

/// Tells of constants that are defined again, once for all of them.
void Graph::reportDuplicates() const {
  auto report = [](InFlightDiagnostic diagnostic,
                   ArrayRef<std::pair<StringRef, Location>> duplicates,
                   StringRef what) {
    diagnostic << "defines constant '" << duplicates.front().first
               << "' again, with " << what;
    if (duplicates.size() > 1)
      diagnostic << "; so do " << duplicates.size() - 1
                 << " more definitions of other constants";
  };
  if (!equalDuplicates.empty())
    report(emitRemark(equalDuplicates.front().second), equalDuplicates,
           "the same value");
  if (!otherDuplicates.empty())
    report(emitWarning(otherDuplicates.front().second), otherDuplicates,
           "another value; the last one counts, as in ONNX Runtime");
}

/// Adds the names that `graph` takes from the graphs around it.
static void collectCaptures(const onnx::GraphProto &graph,
                            SmallVectorImpl<StringRef> &captures) {
  llvm::StringSet<> local;
  for (const auto &input : graph.input())
    local.insert(input.name());
  for (const auto &tensor : graph.initializer())
    local.insert(tensor.name());
  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      local.insert(output);

  SmallVector<StringRef> used;
  for (const onnx::NodeProto &node : graph.node()) {
    used.append(node.input().begin(), node.input().end());
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        collectCaptures(attribute.g(), used);
      for (const onnx::GraphProto &inner : attribute.graphs())
        collectCaptures(inner, used);
    }
  }
  for (const auto &output : graph.output())
    used.push_back(output.name());
  llvm::copy_if(used, std::back_inserter(captures),
                [&](StringRef name) { return !local.contains(name); });
}

void Graph::collectInputs() {
  nodeInputs.reserve(source->graph().node_size());
  for (const onnx::NodeProto &node : source->graph().node()) {
    auto &inputs =
        nodeInputs.emplace_back(node.input().begin(), node.input().end());
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        collectCaptures(attribute.g(), inputs);
      for (const onnx::GraphProto &inner : attribute.graphs())
        collectCaptures(inner, inputs);
    }
  }
}

LogicalResult Graph::checkInputs() const {
  bool ok = true;
  for (auto [i, inputs] : llvm::enumerate(nodeInputs)) {
    for (auto [k, name] : llvm::enumerate(inputs)) {
      if (name.empty() || lookup(name))
        continue;
      emitError(source->nodeLocation(i))
          << "input " << k << " reads '" << name
          << "', which no node, input or initializer defines";
      ok = false;
    }
  }
  for (const onnx::ValueInfoProto &output : source->graph().output()) {
    if (lookup(output.name()))
      continue;
    emitError(source->outputLocation(output.name()),
              "no node, input or initializer defines it");
    ok = false;
  }
  return success(ok);
}

int Graph::producer(int node, unsigned input) const {
  const Definition *definition = lookup(nodeInputs[node][input]);
  return definition && definition->kind == Definition::Kind::Node
             ? definition->index
             : -1;
}

namespace {
enum Mark : uint8_t { Unseen, OnPath, Done };
} // namespace

LogicalResult Graph::sortNodes() {
  SmallVector<uint8_t> marks(source->graph().node_size(), Unseen);
  for (const onnx::ValueInfoProto &output : source->graph().output()) {
    const Definition *definition = lookup(output.name());
    if (definition->kind == Definition::Kind::Node &&
        failed(visit(definition->index, marks)))
      return failure();
  }
  // Nodes that no output needs are only searched for cycles.
  std::vector<int> needed = live;
  for (int node = 0, end = source->graph().node_size(); node != end; ++node)
    if (failed(visit(node, marks)))
      return failure();
  live = std::move(needed);
  remarkIfUnsorted();
  return success();
}

/// Appends `root` to `live` after everything that it depends on. Iterative,
/// since a graph may be deeper than the stack.
LogicalResult Graph::visit(int root, SmallVectorImpl<uint8_t> &marks) {
  if (marks[root] != Unseen)
    return success();
  SmallVector<int> path = {root};
  SmallVector<unsigned> nextInput = {0};
  marks[root] = OnPath;
  while (!path.empty()) {
    int node = path.back();
    if (nextInput.back() == nodeInputs[node].size()) {
      marks[node] = Done;
      live.push_back(node);
      path.pop_back();
      nextInput.pop_back();
      continue;
    }
    int next = producer(node, nextInput.back()++);
    if (next < 0 || marks[next] == Done)
      continue;
    if (marks[next] == OnPath)
      return reportCycle(ArrayRef<int>(llvm::find(path, next), path.end()));
    marks[next] = OnPath;
    path.push_back(next);
    nextInput.push_back(0);
  }
  return success();
}

/// `path` lists nodes each of which reads from the next, the last from the
/// first.
LogicalResult Graph::reportCycle(ArrayRef<int> path) const {
  InFlightDiagnostic diagnostic = emitError(source->nodeLocation(path.front()));
  diagnostic << "the graph has a cycle of " << path.size() << " node"
             << (path.size() == 1 ? "" : "s");
  for (auto [i, node] : llvm::enumerate(path)) {
    int next = path[(i + 1) % path.size()];
    diagnostic.attachNote(source->nodeLocation(node))
        << "reads from node '" << nodeName(this->node(next)) << "' ("
        << operatorName(this->node(next)) << ")";
  }
  return diagnostic;
}

void Graph::remarkIfUnsorted() const {
  for (auto [i, inputs] : llvm::enumerate(nodeInputs)) {
    for (unsigned k = 0; k != inputs.size(); ++k) {
      int from = producer(i, k);
      if (from < int(i))
        continue;
      emitRemark(source->nodeLocation(i))
          << "the file lists this node before node '" << nodeName(node(from))
          << "' (" << operatorName(node(from)) << "), whose result '"
          << inputs[k] << "' it reads; the nodes were sorted";
      return;
    }
  }
}
