#include "compiler/import/onnx/InlineFunctions.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;
using onnx::AttributeProto;
using onnx::FunctionProto;
using onnx::NodeProto;

/// A small file can ask for any number of nodes by functions that call each
/// other twice; honest models stay far below.
static constexpr size_t largestGraph = 500'000;

namespace {

/// One list of nodes while it is copied into the flat graph.
struct Frame {
  /// Null for the model's own graph.
  const FunctionProto *function = nullptr;
  int functionIndex = -1;
  int nextNode = 0;
  int64_t opset = 0;
  LocationAttr caller;
  /// What a name inside stands for outside; an absent argument is "".
  llvm::StringMap<std::string> names;
  /// Starts every name that the function defines for itself.
  std::string prefix;
  /// The calling node, whose attributes the body may refer to.
  NodeProto call;
};

class Inliner {
public:
  explicit Inliner(Model &model) : model(model) {}
  LogicalResult run();

private:
  LogicalResult indexFunctions();
  void collectNames();
  int findFunction(const NodeProto &node) const;
  LogicalResult emit(NodeProto node, int line);
  LogicalResult enter(NodeProto call, int functionIndex, const NodeOrigin &at);
  std::string outerName(Frame &frame, StringRef name);
  void rename(Frame &frame, NodeProto &node);
  void renameCaptures(Frame &frame, onnx::GraphProto &graph,
                      llvm::StringSet<> local);
  void renameCaptures(Frame &frame, AttributeProto &attribute,
                      const llvm::StringSet<> &local);
  std::string uniqueName(const llvm::Twine &wish);
  void append(NodeProto node, const NodeOrigin &origin);

  Model &model;
  llvm::StringMap<int> functions;
  /// Names in use, with the last number that was put behind each.
  llvm::StringMap<unsigned> taken;
  /// Nodes and calls so far.
  size_t work = 0;
  std::vector<Frame> frames;
  /// Functions that `frames` are in the middle of.
  llvm::DenseSet<int> active;
  google::protobuf::RepeatedPtrField<NodeProto> nodes;
};

std::string functionKey(StringRef domain, StringRef name, StringRef overload) {
  if (isDefaultDomain(domain))
    domain = "";
  return (domain + "\n" + name + "\n" + overload).str();
}

} // namespace

LogicalResult Inliner::indexFunctions() {
  for (auto [i, function] : llvm::enumerate(model.proto.functions())) {
    std::string key =
        functionKey(function.domain(), function.name(), function.overload());
    if (!functions.try_emplace(key, i).second)
      return emitError(model.location("function '" + function.name() + "'"),
                       "is defined twice");
  }
  return success();
}

int Inliner::findFunction(const NodeProto &node) const {
  auto it = functions.find(
      functionKey(node.domain(), node.op_type(), node.overload()));
  return it == functions.end() ? -1 : it->second;
}

void Inliner::collectNames() {
  for (const auto &input : model.graph().input())
    taken[input.name()];
  for (const auto &tensor : model.graph().initializer())
    taken[tensor.name()];
  for (const NodeProto &node : model.graph().node())
    for (const std::string &output : node.output())
      taken[output];
}

std::string Inliner::uniqueName(const llvm::Twine &wish) {
  std::string name = wish.str();
  auto [first, isNew] = taken.try_emplace(name, 0);
  if (isNew)
    return name;
  // The counter keeps many equal wishes from being tried again and again.
  do
    name = (wish + "." + llvm::Twine(++first->second)).str();
  while (!taken.try_emplace(name, 0).second);
  return name;
}

/// What `name` of the frame's list is called in the flat graph.
std::string Inliner::outerName(Frame &frame, StringRef name) {
  if (!frame.function || name.empty())
    return name.str();
  auto [it, isNew] = frame.names.try_emplace(name);
  if (isNew)
    it->second = uniqueName(frame.prefix + "/" + name);
  return it->second;
}

/// Names of a subgraph that neither it nor one around it (`local`) defines are
/// the function's.
void Inliner::renameCaptures(Frame &frame, onnx::GraphProto &graph,
                             llvm::StringSet<> local) {
  for (const auto &input : graph.input())
    local.insert(input.name());
  for (const auto &tensor : graph.initializer())
    local.insert(tensor.name());
  for (const NodeProto &node : graph.node())
    for (const std::string &output : node.output())
      local.insert(output);
  auto replace = [&](std::string &name) {
    if (!local.contains(name))
      name = outerName(frame, name);
  };
  for (NodeProto &node : *graph.mutable_node()) {
    for (std::string &input : *node.mutable_input())
      replace(input);
    for (AttributeProto &attribute : *node.mutable_attribute())
      renameCaptures(frame, attribute, local);
  }
  for (auto &output : *graph.mutable_output())
    replace(*output.mutable_name());
}

void Inliner::renameCaptures(Frame &frame, AttributeProto &attribute,
                             const llvm::StringSet<> &local) {
  if (attribute.has_g())
    renameCaptures(frame, *attribute.mutable_g(), local);
  for (onnx::GraphProto &graph : *attribute.mutable_graphs())
    renameCaptures(frame, graph, local);
}

/// Puts `node` of the frame's function into the words of the flat graph.
void Inliner::rename(Frame &frame, NodeProto &node) {
  for (std::string &input : *node.mutable_input())
    input = outerName(frame, input);
  for (std::string &output : *node.mutable_output())
    output = outerName(frame, output);
  if (!node.name().empty())
    node.set_name(frame.prefix + "/" + node.name());

  // An attribute may be that of the call, or else the function's default; with
  // neither it is absent.
  auto *attributes = node.mutable_attribute();
  for (int i = 0; i < attributes->size();) {
    AttributeProto &attribute = *attributes->Mutable(i);
    renameCaptures(frame, attribute, /*local=*/{});
    if (attribute.ref_attr_name().empty()) {
      ++i;
      continue;
    }
    auto hasName = [&](const AttributeProto &other) {
      return other.name() == attribute.ref_attr_name();
    };
    const AttributeProto *value = nullptr;
    for (const auto *list :
         {&frame.call.attribute(), &frame.function->attribute_proto()})
      if (auto it = llvm::find_if(*list, hasName); !value && it != list->end())
        value = &*it;
    if (!value) {
      attributes->DeleteSubrange(i, 1);
      continue;
    }
    std::string name = attribute.name();
    attribute = AttributeProto(*value);
    attribute.set_name(name);
    ++i;
  }
}

void Inliner::append(NodeProto node, const NodeOrigin &origin) {
  nodes.Add(std::move(node));
  model.origins.push_back(origin);
}

LogicalResult Inliner::enter(NodeProto call, int functionIndex,
                             const NodeOrigin &at) {
  const FunctionProto &function = model.proto.functions(functionIndex);
  Location loc = model.nodeLocation(call, at);
  if (!active.insert(functionIndex).second)
    return emitError(loc) << "function '" << function.name()
                          << "' calls itself";
  if (call.input_size() > function.input_size() ||
      call.output_size() > function.output_size())
    return emitError(loc) << "passes " << call.input_size() << " inputs and "
                          << call.output_size() << " outputs to function '"
                          << function.name() << "', which has "
                          << function.input_size() << " and "
                          << function.output_size();
  Frame frame;
  frame.function = &function;
  frame.functionIndex = functionIndex;
  frame.caller = loc;
  frame.prefix = nodeName(call).str();
  frame.opset = at.opset;
  for (const onnx::OperatorSetIdProto &set : function.opset_import())
    if (isDefaultDomain(set.domain()))
      frame.opset = set.version();
  if (failed(checkOpset(frame.opset, loc)))
    return failure();
  for (auto [i, name] : llvm::enumerate(function.input()))
    frame.names[name] = int(i) < call.input_size() ? call.input(i) : "";
  for (auto [i, name] : llvm::enumerate(function.output())) {
    if (int(i) >= call.output_size() || call.output(i).empty())
      continue;
    auto [it, isNew] = frame.names.try_emplace(name, call.output(i));
    if (isNew)
      continue;
    // The function hands on what it was given, or one value twice.
    NodeProto identity;
    identity.set_op_type("Identity");
    identity.add_input(it->second);
    identity.add_output(call.output(i));
    append(std::move(identity), {1, frame.opset, frame.caller, functionIndex});
  }
  frame.call = std::move(call);
  frames.push_back(std::move(frame));
  return success();
}

/// Copies `node`, the frame's number `line`, or starts to inline what it calls.
LogicalResult Inliner::emit(NodeProto node, int line) {
  if (++work > largestGraph)
    return emitError(model.location())
           << "inlining its functions gives more than " << largestGraph
           << " nodes";
  Frame &frame = frames.back();
  NodeOrigin origin{unsigned(line), frame.opset, frame.caller,
                    frame.functionIndex};
  if (frame.function)
    rename(frame, node);
  if (int function = findFunction(node); function >= 0)
    return enter(std::move(node), function, origin);
  append(std::move(node), origin);
  return success();
}

LogicalResult Inliner::run() {
  if (failed(indexFunctions()))
    return failure();
  collectNames();
  auto body = std::move(*model.proto.mutable_graph()->mutable_node());
  Frame main;
  main.opset = model.opset;
  frames.push_back(std::move(main));
  while (!frames.empty()) {
    Frame &frame = frames.back();
    const auto &list = frame.function ? frame.function->node() : body;
    if (frame.nextNode == list.size()) {
      active.erase(frame.functionIndex);
      frames.pop_back();
      continue;
    }
    int line = ++frame.nextNode;
    NodeProto node = frame.function ? list.Get(line - 1)
                                    : std::move(*body.Mutable(line - 1));
    if (failed(emit(std::move(node), line)))
      return failure();
  }
  *model.proto.mutable_graph()->mutable_node() = std::move(nodes);
  return success();
}

LogicalResult dsc::onnx_import::inlineFunctions(Model &model) {
  if (!model.proto.functions().empty())
    return Inliner(model).run();
  for (int i = 0, end = model.graph().node_size(); i != end; ++i)
    model.origins.push_back({unsigned(i + 1), model.opset, {}, -1});
  return success();
}
