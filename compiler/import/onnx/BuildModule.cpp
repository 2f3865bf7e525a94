#include "compiler/import/onnx/BuildModule.h"
#include "compiler/import/onnx/NodeImporter.h"
#include "compiler/import/onnx/TensorBytes.h"
#include "compiler/import/onnx/TensorData.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"
#include <array>

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;

namespace {

class ModuleBuilder {
public:
  ModuleBuilder(const Graph &graph, const ParameterTable &parameters,
                StringRef trainingMode)
      : graph(graph), model(graph.model()), parameters(parameters),
        trainingMode(trainingMode), builder(model.context) {}

  OwningOpRef<ModuleOp> build();

private:
  void declareParameters(ModuleOp module);
  StringRef chooseSymbol(const Parameter &parameter);
  LogicalResult declareInputs();
  LogicalResult importNodes();
  LogicalResult importNode(int index);
  /// The value of `name`; a parameter or constant is read at its first use.
  FailureOr<Value> materialize(StringRef name);
  FailureOr<Value> materializeInitializer(int index);
  DenseElementsAttr readSetting(const Parameter &parameter);
  FailureOr<Value> readParameter(const Parameter &parameter);
  LogicalResult declareOutputs();

  const Graph &graph;
  const Model &model;
  const ParameterTable &parameters;
  StringRef trainingMode;
  OpBuilder builder;
  func::FuncOp forward;
  ValueTable values;
  DropoutStates dropout;
  /// Symbol of each parameter, by its name.
  llvm::StringMap<std::string> symbols;
};

} // namespace

OwningOpRef<ModuleOp> ModuleBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, model.location());
  (*module)->setAttr(
      "dsc.onnx",
      builder.getDictionaryAttr(
          {builder.getNamedAttr("path", builder.getStringAttr(model.path)),
           builder.getNamedAttr("opset",
                                builder.getI64IntegerAttr(model.opset))}));
  builder.setInsertionPointToEnd(module->getBody());
  declareParameters(*module);
  forward = func::FuncOp::create(builder, model.location(), "forward",
                                 builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(forward.addEntryBlock());
  // Faults of inputs, nodes and outputs are independent: report all.
  bool ok = succeeded(declareInputs());
  ok &= succeeded(importNodes());
  ok &= succeeded(declareOutputs());
  if (!ok || failed(verify(*module)))
    return {};
  return module;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The user's name, unless a later stage needs that symbol for itself.
StringRef ModuleBuilder::chooseSymbol(const Parameter &parameter) {
  static const llvm::StringSet<> reserved = {
      "forward", "step",        "step_last",  "update",
      "eval",    "layer_norms", "step.debug", "update.debug"};
  std::string symbol = parameter.name;
  // States are dsc.*, what the module exports is dsc_*, and what it calls of
  // the runtime dsrt_*.
  if (reserved.contains(symbol) ||
      llvm::any_of(std::array{"dsc.", "dsc_", "dsrt_"}, [&](StringRef prefix) {
        return StringRef(symbol).starts_with(prefix);
      })) {
    do
      symbol += ".parameter";
    while (parameters.lookup(symbol));
  }
  return symbols[parameter.name] = symbol;
}

void ModuleBuilder::declareParameters(ModuleOp module) {
  for (const Parameter &parameter : parameters.all()) {
    if (!parameter.tiedTo.empty())
      continue;
    StringRef symbol = chooseSymbol(parameter);
    auto op = train::ParameterOp::create(builder, parameter.loc, symbol,
                                         parameter.type, parameter.role,
                                         parameter.reason, parameter.initial);
    if (symbol != parameter.name)
      op.setOnnxNameAttr(builder.getStringAttr(parameter.name));
    if (!parameter.likelyName.empty())
      op->setAttr("dsc.likely_name",
                  builder.getStringAttr(parameter.likelyName));
    if (!parameter.likelyTie.empty())
      op->setAttr("dsc.likely_tie", builder.getStringAttr(parameter.likelyTie));
    if (parameter.ties.empty())
      continue;
    SmallVector<StringRef> ties(parameter.ties.begin(), parameter.ties.end());
    op.setTiesAttr(builder.getStrArrayAttr(ties));
  }
}

/// The value of a small setting, if it is known already; else null.
DenseElementsAttr ModuleBuilder::readSetting(const Parameter &parameter) {
  if (!parameter.isSetting || !parameter.tiedTo.empty() ||
      !parameter.type.hasStaticShape() ||
      parameter.type.getNumElements() > largestConstant)
    return {};
  if (auto init = dyn_cast_or_null<train::InitAttr>(parameter.initial)) {
    Builder attrs(model.context);
    Type element = parameter.type.getElementType();
    if (init.getRule() == "zeros")
      return DenseElementsAttr::get(parameter.type, attrs.getZeroAttr(element));
    if (init.getRule() == "ones")
      return DenseElementsAttr::get(parameter.type, attrs.getOneAttr(element));
    return {};
  }
  std::optional<TensorBytes> bytes =
      TensorBytes::open(model, parameter.initial);
  if (!bytes)
    return {};
  return readElements(bytes->data(), parameter.type,
                      [&] { return emitError(parameter.loc); })
      .value_or(DenseElementsAttr());
}

FailureOr<Value> ModuleBuilder::readParameter(const Parameter &parameter) {
  if (DenseElementsAttr setting = readSetting(parameter))
    return Value(nn::ConstantOp::create(builder, parameter.loc, parameter.type,
                                        setting));
  if (parameter.tiedTo.empty())
    return Value(train::ReadOp::create(builder, parameter.loc, parameter.type,
                                       symbols[parameter.name]));
  FailureOr<Value> kept = materialize(parameter.tiedTo);
  if (failed(kept) || !parameter.tiedTransposed)
    return kept;
  return Value(nn::TransposeOp::create(builder, parameter.loc, parameter.type,
                                       *kept, ArrayRef<int64_t>{1, 0}));
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

LogicalResult ModuleBuilder::declareInputs() {
  bool ok = true;
  for (const onnx::ValueInfoProto &input : model.graph().input()) {
    if (graph.lookup(input.name())->kind != Definition::Kind::Input ||
        parameters.lookup(input.name()))
      continue;
    bool isUsed =
        !graph.uses(input.name()).empty() || graph.isOutput(input.name());
    values[input.name()] = Value();
    // An input that nothing reads may have a type that dsc cannot hold.
    if (!isUsed &&
        !elementType(input.type().tensor_type().elem_type(), model.context))
      continue;
    FailureOr<RankedTensorType> type = inputType(model, input);
    if (failed(type)) {
      ok = false;
      continue;
    }
    SmallVector<StringRef> dims;
    for (const auto &dim : input.type().tensor_type().shape().dim())
      dims.push_back(dim.dim_param());
    DictionaryAttr attributes = builder.getDictionaryAttr(
        {builder.getNamedAttr("dsc.name", builder.getStringAttr(input.name())),
         builder.getNamedAttr("dsc.dims", builder.getStrArrayAttr(dims))});
    unsigned index = forward.getNumArguments();
    if (failed(forward.insertArgument(index, *type, attributes,
                                      model.inputLocation(input.name()))))
      return failure();
    values[input.name()] = forward.getArgument(index);
  }
  return success(ok);
}

LogicalResult ModuleBuilder::declareOutputs() {
  SmallVector<Value> results;
  SmallVector<Attribute> attributes;
  for (const onnx::ValueInfoProto &output : model.graph().output()) {
    FailureOr<Value> value = materialize(output.name());
    // The fault is reported where it lies.
    if (failed(value) || !*value)
      return failure();
    results.push_back(*value);
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        "dsc.name", builder.getStringAttr(output.name()))));
  }
  func::ReturnOp::create(builder, model.location(), results);
  forward.setType(builder.getFunctionType(forward.getArgumentTypes(),
                                          ValueRange(results).getTypes()));
  forward.setResAttrsAttr(builder.getArrayAttr(attributes));
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

FailureOr<Value> ModuleBuilder::materializeInitializer(int index) {
  const onnx::TensorProto &tensor = model.graph().initializer(index);
  Location loc = model.initializerLocation(tensor.name());
  auto emit = [&] { return emitError(loc); };
  FailureOr<RankedTensorType> type =
      initializerType(tensor, model.context, emit);
  if (failed(type))
    return failure();
  FailureOr<DenseElementsAttr> elements =
      readInitializer(model, index, *type, emit);
  if (failed(elements))
    return failure();
  return Value(nn::ConstantOp::create(
      builder, loc, cast<RankedTensorType>(elements->getType()), *elements));
}

FailureOr<Value> ModuleBuilder::materialize(StringRef name) {
  auto [it, isNew] = values.try_emplace(name);
  if (!isNew)
    return it->second;
  FailureOr<Value> value = failure();
  if (const Parameter *parameter = parameters.lookup(name))
    value = readParameter(*parameter);
  else if (const Definition *definition = graph.lookup(name);
           definition && definition->kind == Definition::Kind::Initializer)
    value = materializeInitializer(definition->index);
  else
    return Value();
  // Reading a tied parameter may have added entries, hence a new look-up.
  if (succeeded(value))
    values[name] = *value;
  return value;
}

LogicalResult ModuleBuilder::importNode(int index) {
  const onnx::NodeProto &node = graph.node(index);
  for (const std::string &output : node.output())
    values.try_emplace(output);
  ImportFunction import = lookupImport(node, model.origins[index].opset);
  if (!import)
    return success();
  bool ok = true, isComplete = true;
  for (StringRef name : graph.inputs(index)) {
    if (name.empty())
      continue;
    FailureOr<Value> value = materialize(name);
    ok &= succeeded(value);
    isComplete &= succeeded(value) && *value;
  }
  if (!isComplete)
    return success(ok);
  NodeImporter importer(graph, index, builder, values, dropout, trainingMode);
  return import(importer);
}

LogicalResult ModuleBuilder::importNodes() {
  bool ok = true;
  for (int index : graph.liveNodes())
    if (!parameters.isDefinedBy(graph.node(index)))
      ok &= succeeded(importNode(index));
  return success(ok);
}

OwningOpRef<ModuleOp> onnx_import::buildModule(const Graph &graph,
                                               const ParameterTable &parameters,
                                               StringRef trainingMode) {
  return ModuleBuilder(graph, parameters, trainingMode).build();
}
