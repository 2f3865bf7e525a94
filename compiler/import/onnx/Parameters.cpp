#include "compiler/import/onnx/Parameters.h"
#include "compiler/import/onnx/OpTable.h"
#include "compiler/import/onnx/TensorData.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

bool onnx_import::isSmallConstant(RankedTensorType type) {
  return type.getElementType().isInteger() &&
         type.getNumElements() <= largestConstant;
}

FailureOr<RankedTensorType>
onnx_import::inputType(const Model &model, const onnx::ValueInfoProto &input) {
  auto emit = [&] { return emitError(model.inputLocation(input.name())); };
  if (!input.type().has_tensor_type())
    return emit() << "is not a tensor";
  const onnx::TypeProto::Tensor &tensor = input.type().tensor_type();
  if (!tensor.has_shape()) {
    InFlightDiagnostic diagnostic = emit() << "its rank is not known";
    diagnostic.attachNote() << "give it a shape in the model, for example with "
                               "onnx.tools.update_model_dims";
    return diagnostic;
  }
  SmallVector<int64_t> dims;
  // Some exporters write -1 for a dim that they do not know.
  for (const auto &dim : tensor.shape().dim())
    dims.push_back(dim.has_dim_value() && dim.dim_value() >= 0
                       ? dim.dim_value()
                       : ShapedType::kDynamic);
  return tensorType(tensor.elem_type(), dims, model.context, emit);
}

//===----------------------------------------------------------------------===//
// ParameterTable
//===----------------------------------------------------------------------===//

FailureOr<ParameterTable> ParameterTable::collect(const Graph &graph,
                                                  const TrainRules &rules) {
  ParameterTable table;
  // Every fault is reported, so no short cut.
  bool inputs = succeeded(table.addInputs(graph, rules));
  bool initializers = succeeded(table.addInitializers(graph));
  if (!inputs || !initializers || failed(table.addNodes(graph, rules)))
    return failure();
  return table;
}

Parameter *ParameterTable::lookup(StringRef name) {
  auto it = byName.find(name);
  return it == byName.end() ? nullptr : &parameters[it->second];
}

void ParameterTable::add(Parameter parameter) {
  byName[parameter.name] = parameters.size();
  parameters.push_back(std::move(parameter));
}

static bool isFloat(RankedTensorType type) {
  return isa<FloatType>(type.getElementType());
}

LogicalResult ParameterTable::addInputs(const Graph &graph,
                                        const TrainRules &rules) {
  const Model &model = graph.model();
  bool ok = true;
  for (auto [i, input] : llvm::enumerate(model.graph().input())) {
    if (graph.lookup(input.name())->kind != Definition::Kind::Input ||
        !rules.names(input.name()))
      continue;
    FailureOr<RankedTensorType> type = inputType(model, input);
    if (failed(type))
      ok = false;
    else if (isFloat(*type))
      add({input.name(),
           Parameter::Source::Input,
           int(i),
           model.inputLocation(input.name()),
           *type,
           {}});
  }
  return success(ok);
}

/// True if every use of `name` is a setting of some operator.
static bool isOnlySetting(const Graph &graph, StringRef name) {
  return llvm::all_of(graph.uses(name), [&](const Use &use) {
    return isSettingInput(graph.node(use.node), use.input);
  });
}

LogicalResult ParameterTable::addInitializers(const Graph &graph) {
  const Model &model = graph.model();
  // Types of the graph inputs that some initializer only gives a default to.
  llvm::StringMap<const onnx::ValueInfoProto *> inputs;
  for (const onnx::ValueInfoProto &input : model.graph().input())
    inputs[input.name()] = &input;
  bool ok = true;
  for (auto [i, tensor] : llvm::enumerate(model.graph().initializer())) {
    // A later constant may have taken the name.
    const Definition *definition = graph.lookup(tensor.name());
    if (definition->kind != Definition::Kind::Initializer ||
        definition->index != int(i))
      continue;
    bool isUsed =
        !graph.uses(tensor.name()).empty() || graph.isOutput(tensor.name());
    // A tensor that nothing reads may have a type that dsc cannot hold.
    if (!isUsed && !elementType(tensor.data_type(), model.context))
      continue;
    if (isHalf(tensor.data_type()) && isOnlySetting(graph, tensor.name()))
      continue;
    Location loc = model.initializerLocation(tensor.name());
    auto emit = [&] { return emitError(loc); };
    FailureOr<RankedTensorType> type = tensorType(tensor, model.context, emit);
    if (failed(type)) {
      ok = false;
      continue;
    }
    if (isSmallConstant(*type))
      continue;
    std::string missing;
    FailureOr<Attribute> data = locateData(model, i, *type, missing, emit);
    if (failed(data)) {
      ok = false;
      continue;
    }
    // What nothing reads needs no value.
    if (!isUsed && !*data)
      continue;
    Parameter parameter{tensor.name(), Parameter::Source::Initializer,
                        int(i),        loc,
                        *type,         *data};
    parameter.missing = missing;
    if (const onnx::ValueInfoProto *input = inputs.lookup(tensor.name())) {
      FailureOr<RankedTensorType> declared = inputType(model, *input);
      ok &= succeeded(declared);
      parameter.inputType = declared.value_or(RankedTensorType());
    }
    add(std::move(parameter));
  }
  return success(ok);
}

LogicalResult ParameterTable::addConstant(const Graph &graph,
                                          const TrainRules &rules, int index,
                                          const onnx::TensorProto &tensor) {
  Location loc = graph.model().nodeLocation(index);
  auto emit = [&] { return emitError(loc); };
  StringRef name = graph.node(index).output(0);
  std::optional<TrainRules::Verdict> verdict = rules.lookup(name);
  if (!verdict || !verdict->train ||
      tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return success();
  FailureOr<RankedTensorType> type =
      tensorType(tensor, graph.model().context, emit);
  if (failed(type) || !isFloat(*type))
    return type;
  FailureOr<DenseElementsAttr> value = readElements(tensor, *type, emit);
  if (failed(value))
    return failure();
  add({name.str(), Parameter::Source::Constant, index, loc, *type, *value});
  return success();
}

/// The sizes that a ConstantOfShape reads, if the file holds them.
static std::optional<SmallVector<int64_t>> readSizes(const Graph &graph,
                                                     StringRef name) {
  const Model &model = graph.model();
  const Definition *definition = graph.lookup(name);
  // What does not read as sizes is reported when the node is imported.
  ScopedDiagnosticHandler silence(model.context,
                                  [](Diagnostic &) { return success(); });
  auto emit = [&] { return emitError(model.location()); };
  FailureOr<DenseElementsAttr> values = failure();
  if (definition->kind == Definition::Kind::Initializer) {
    auto type = tensorType(model.graph().initializer(definition->index),
                           model.context, emit);
    if (succeeded(type) && isSmallConstant(*type))
      values = readInitializer(model, definition->index, *type, emit);
  } else if (definition->kind == Definition::Kind::Node) {
    const onnx::TensorProto *tensor =
        constantTensor(graph.node(definition->index));
    if (!tensor)
      return std::nullopt;
    auto type = tensorType(*tensor, model.context, emit);
    if (succeeded(type) && isSmallConstant(*type))
      values = readElements(*tensor, *type, emit);
  }
  if (failed(values) || !values->getElementType().isInteger(64))
    return std::nullopt;
  return llvm::to_vector(values->getValues<int64_t>());
}

LogicalResult ParameterTable::addFill(const Graph &graph, int index) {
  const onnx::NodeProto &node = graph.node(index);
  if (graph.model().origins[index].function >= 0)
    return success();
  std::optional<SmallVector<int64_t>> sizes = readSizes(graph, node.input(0));
  if (!sizes)
    return success();
  Location loc = graph.model().nodeLocation(index);
  FailureOr<DenseElementsAttr> value = fillShape(
      node, *sizes, graph.model().context, [&] { return emitError(loc); });
  if (failed(value))
    return failure();
  auto type = cast<RankedTensorType>(value->getType());
  if (isFloat(type))
    add({node.output(0), Parameter::Source::Fill, index, loc, type, *value});
  return success();
}

void ParameterTable::addAlias(const Graph &graph, int index) {
  const onnx::NodeProto &node = graph.node(index);
  const Parameter *base = lookup(node.input(0));
  // Exporters merge initializers, not inputs; and names inside functions are
  // nobody's names of parameters.
  if (!base || !isFloat(base->type) ||
      base->source == Parameter::Source::Input ||
      graph.model().origins[index].function >= 0)
    return;
  Parameter alias = *base;
  alias.name = node.output(0);
  alias.source = Parameter::Source::Alias;
  alias.index = index;
  alias.loc = graph.model().nodeLocation(index);
  add(std::move(alias));
}

LogicalResult ParameterTable::addNodes(const Graph &graph,
                                       const TrainRules &rules) {
  bool ok = true;
  for (int index : graph.liveNodes()) {
    const onnx::NodeProto &node = graph.node(index);
    if (const onnx::TensorProto *tensor = constantTensor(node)) {
      ok &= succeeded(addConstant(graph, rules, index, *tensor));
      continue;
    }
    if (node.input_size() != 1 || node.input(0).empty() ||
        node.output_size() != 1)
      continue;
    if (node.op_type() == "ConstantOfShape")
      ok &= succeeded(addFill(graph, index));
    else if (node.op_type() == "Identity")
      addAlias(graph, index);
  }
  return success(ok);
}
