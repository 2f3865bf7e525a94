#include "codegen/host/Passes.h"
#include "dialects/exec/ExecOps.h"
#include "dialects/train/TrainOps.h"
#include "passes/analysis/ProgramOperations.h"
#include "runtime/abi/dsrt.h"
#include "runtime/abi/dsrt_layout.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <nlohmann/json.hpp>

namespace dsc {
#define GEN_PASS_DEF_EMITMANIFESTPASS
#include "codegen/host/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;
/// Keeps the order in which keys are written, so that people find their way.
using Json = nlohmann::ordered_json;

namespace {

constexpr int kFormat = 1;

std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

std::string sha256(StringRef text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

/// Names in ONNX files are bytes; what is not UTF-8 is replaced.
std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json convertAttribute(Attribute attribute) {
  if (auto string = dyn_cast<StringAttr>(attribute))
    return string.str();
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getType().isInteger(1) ? Json(!number.getValue().isZero())
                                         : Json(number.getInt());
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(attribute))
    return symbol.getValue().str();
  if (isa<UnitAttr>(attribute))
    return true;
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute))
    return numbers.asArrayRef().vec();
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    Json result = Json::array();
    for (Attribute element : list)
      result.push_back(convertAttribute(element));
    return result;
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    Json result = Json::object();
    for (NamedAttribute member : dictionary)
      result[member.getName().str()] = convertAttribute(member.getValue());
    return result;
  }
  return nullptr;
}

/// Collects what the exec operations of a module say.
class ManifestWriter {
public:
  explicit ManifestWriter(ModuleOp module) : symbols(module) {
    for (Operation &op : *module.getBody())
      if (auto group = dyn_cast<exec::GroupOp>(op))
        addGroup(group);
      else if (auto state = dyn_cast<exec::StateOp>(op))
        addState(state);
      else if (auto program = dyn_cast<exec::ProgramOp>(op))
        addEntry(program);
  }

  Json groups = Json::array(), states = Json::array(),
       parameters = Json::array(), settings = Json::array(),
       entries = Json::array(), classBytes = Json::object();
  int64_t arenaBytes = 0;
  /// Samples of the first input that counts them.
  int64_t batch = 1;

private:
  void addGroup(exec::GroupOp group);
  void addState(exec::StateOp state);
  void addParameter(exec::StateOp state, DictionaryAttr parameter);
  void addEntry(exec::ProgramOp program);
  Json convertTensor(DictionaryAttr tensor);
  Json listCalls(exec::ProgramOp program);

  SymbolTable symbols;
};

void ManifestWriter::addGroup(exec::GroupOp group) {
  Json segments = Json::array();
  for (auto segment : group.getSegments().getAsRange<exec::SegmentAttr>())
    segments.push_back({{"tensor", segment.getTensor().getValue().str()},
                        {"offset", segment.getOffset()},
                        {"elements", segment.getElements()}});
  groups.push_back({{"name", group.getSymName().str()},
                    {"elements", group.getElements()},
                    {"type", typeName(group.getElementType())},
                    {"stage", group.getStage()},
                    {"segments", segments}});
}

void ManifestWriter::addState(exec::StateOp state) {
  std::string stateClass =
      exec::stringifyStateClass(state.getStateClass()).str();
  auto group = state.getGroup()
                   ? symbols.lookup<exec::GroupOp>(*state.getGroup())
                   : exec::GroupOp();
  Json entry = {{"name", state.getSymName().str()},
                {"class", stateClass},
                {"type", typeName(state.getElementType())},
                {"elements", state.getElements()},
                {"shape", state.getShape().vec()},
                {"group", group ? int64_t(group.getIndex()) : -1},
                {"offset", state.getOffset().value_or(0)},
                {"of", nullptr},
                {"initial", 0.0}};
  if (std::optional<StringRef> owner = state.getOf())
    entry["of"] = owner->str();
  if (std::optional<APFloat> initial = state.getInitial())
    entry["initial"] = initial->convertToDouble();
  if (std::optional<StringRef> kind = state.getKind())
    entry["kind"] = kind->str();
  if (state.getOffloaded()) {
    entry["offloaded"] = true;
    stateClass = "offloaded";
  }
  states.push_back(entry);
  classBytes[stateClass] =
      classBytes.value(stateClass, int64_t(0)) + state.getBytes();

  if (DictionaryAttr parameter = state.getParameterAttr())
    addParameter(state, parameter);
  if (DictionaryAttr setting = state.getSettingAttr()) {
    // The flag that sets dsc.weight_decay is --weight-decay.
    StringRef name = state.getSymName();
    std::string flag =
        name.starts_with("dsc.") ? name.drop_front(4).str() : name.str();
    llvm::replace(flag, '_', '-');
    Json row = {{"name", name.str()}, {"flag", flag}};
    row.update(convertAttribute(setting));
    settings.push_back(row);
  }
}

void ManifestWriter::addParameter(exec::StateOp state,
                                  DictionaryAttr parameter) {
  // Users read and write weights by their own names, not by symbols.
  auto onnxName = parameter.getAs<StringAttr>("onnx_name");
  StringRef name = onnxName ? onnxName.getValue() : state.getSymName();
  Json row = {{"name", name.str()},
              {"state", state.getIndex()},
              {"type", typeName(state.getElementType())},
              {"shape", state.getShape().vec()},
              {"source", nullptr},
              {"ties", Json::array()}};
  for (NamedAttribute member : parameter) {
    if (member.getName() == "onnx_name")
      continue;
    if (member.getName() == "initial") {
      if (auto file = dyn_cast<train::FileAttr>(member.getValue()))
        row["source"] = {{"file", file.getPath().str()},
                         {"offset", file.getOffset()},
                         {"bytes", file.getBytes()}};
    } else if (auto type = dyn_cast<TypeAttr>(member.getValue())) {
      row[member.getName().str()] = typeName(type.getValue());
    } else {
      row[member.getName().str()] = convertAttribute(member.getValue());
    }
  }
  parameters.push_back(row);
}

/// An input or output: {name, type = tensor<...>, ...}.
Json ManifestWriter::convertTensor(DictionaryAttr tensor) {
  Json row = Json::object();
  for (NamedAttribute member : tensor) {
    if (auto type = dyn_cast<TypeAttr>(member.getValue())) {
      auto shaped = cast<RankedTensorType>(type.getValue());
      row["type"] = typeName(shaped.getElementType());
      row["shape"] = shaped.getShape().vec();
    } else if (member.getName() == "offset") {
      row["arena_offset"] = convertAttribute(member.getValue());
    } else {
      row[member.getName().str()] = convertAttribute(member.getValue());
    }
  }
  return row;
}

/// What each call of the runtime is, so that one that was measured has a name.
Json ManifestWriter::listCalls(exec::ProgramOp program) {
  Json rows = Json::array();
  for (const ProgramOperation &operation : listOperations(program, symbols)) {
    Json row = {{"name", operation.name},
                {"stream", static_cast<int>(operation.stream)},
                {"cat", stringifyOperationCategory(operation.category).str()}};
    if (!operation.node.empty())
      row["node"] = operation.node;
    if (operation.bytes)
      row["bytes"] = operation.bytes;
    if (operation.joined)
      row["joined"] = true;
    rows.push_back(row);
  }
  return rows;
}

void ManifestWriter::addEntry(exec::ProgramOp program) {
  Json inputs = Json::array(), outputs = Json::array();
  int64_t entryBatch = 1;
  for (auto input : program.getInputs().getAsRange<DictionaryAttr>()) {
    Json row = convertTensor(input);
    row.emplace("role", "data");
    if (inputs.empty() && !row["shape"].empty())
      entryBatch = std::max<int64_t>(row["shape"][0].get<int64_t>(), 1);
    inputs.push_back(row);
  }
  for (auto output : program.getOutputs().getAsRange<DictionaryAttr>())
    outputs.push_back(convertTensor(output));
  Json collectives = program.getCollectives()
                         ? convertAttribute(*program.getCollectives())
                         : Json::array();
  auto launches = program.getBody().getOps<exec::LaunchOp>();
  std::string hash =
      program.getHash() ? program.getHash()->str() : sha256(dump(collectives));
  arenaBytes = std::max<int64_t>(arenaBytes, program.getArena());
  if (entries.empty())
    batch = entryBatch;
  std::string name = program.getSymName().str();
  entries.push_back(
      {{"name", name},
       {"kind", exec::stringifyProgramKind(program.getKind()).str()},
       {"symbol", "dsc_entry_" + name},
       {"batch", entryBatch},
       {"inputs", inputs},
       {"outputs", outputs},
       {"arena_bytes", program.getArena()},
       {"launches", std::distance(launches.begin(), launches.end())},
       {"collectives", collectives},
       {"operations", listCalls(program)},
       {"hash", hash}});
}

void addConstant(ModuleOp module, StringRef name, Type type, Attribute value,
                 StringRef section) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto global = LLVM::GlobalOp::create(builder, module.getLoc(), type,
                                       /*isConstant=*/true,
                                       LLVM::Linkage::External, name, value);
  global.setAlignment(8);
  if (!section.empty())
    global.setSection(section);
}

struct EmitManifest : public dsc::impl::EmitManifestPassBase<EmitManifest> {
  using EmitManifestPassBase::EmitManifestPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::string text = dump(describe(ManifestWriter(module)));
    OpBuilder builder(module.getContext());
    addConstant(module, "dsc_manifest",
                LLVM::LLVMArrayType::get(builder.getI8Type(), text.size()),
                builder.getStringAttr(text), ".dsc.manifest");
    addConstant(module, "dsc_manifest_size", builder.getI64Type(),
                builder.getI64IntegerAttr(text.size()), "");
    addConstant(module, "dsc_abi_version", builder.getI32Type(),
                builder.getI32IntegerAttr(DSRT_ABI_VERSION), "");
  }

  Json describe(const ManifestWriter &writer) {
    Json options = Json::object();
    for (StringRef option : compileOptions) {
      auto [name, value] = option.split('=');
      options[name.str()] = value.str();
    }
    Json manifest = {
        {"format", kFormat},
        {"abi", DSRT_ABI_VERSION},
        {"dsc", DSC_VERSION},
        {"model", model.getValue()},
        {"target",
         {{"kind", "host"},
          {"triple", triple.getValue()},
          {"cpu", cpu.getValue()},
          {"features", features.getValue()}}},
        {"zero_stage", zeroStage.getValue()},
        {"max_world", maxWorld.getValue()},
        {"unit", DSRT_LAYOUT_MIN_UNIT},
        {"optimizer", optimizer.getValue()},
        {"loss", loss.getValue()},
        {"precision", precision.getValue()},
        {"arena_bytes", writer.arenaBytes},
        {"batch", writer.batch},
        {"settings", writer.settings},
        {"groups", writer.groups},
        {"states", writer.states},
        {"parameters", writer.parameters},
        {"weights", weights.empty() ? Json() : Json(weights.getValue())},
        {"entries", writer.entries},
        {"plan",
         {{"arena", writer.arenaBytes}, {"classes", writer.classBytes}}},
        {"options", options}};
    manifest["hash"] = sha256(dump(manifest));
    return manifest;
  }
};

} // namespace
