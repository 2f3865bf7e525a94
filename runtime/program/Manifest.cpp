#include "runtime/program/Manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace dsc::runtime;
using nlohmann::json;

namespace {

/// A place in the document that is wrong. Thrown and caught in this file only.
struct Located {
  std::string path, reason;
};

/// Far above what any collective is made of.
constexpr uint64_t kMostCalls = 64;

/// A JSON value and the path that leads to it.
class Node {
public:
  Node(const json &value, std::string path)
      : value(value), path(std::move(path)) {}

  [[noreturn]] void fail(const std::string &reason) const {
    throw Located{path, reason};
  }

  Node at(const char *key) const {
    if (!value.is_object() || !value.contains(key))
      fail(concat("has no '", key, "'"));
    return Node(value[key], path.empty() ? key : path + "." + key);
  }

  /// The member, unless it is absent or null.
  std::optional<Node> find(const char *key) const {
    if (!value.is_object() || !value.contains(key) || value[key].is_null())
      return std::nullopt;
    return at(key);
  }

  template <typename Visitor> void each(Visitor visitor) const {
    if (!value.is_array())
      fail("is not a list");
    for (size_t i = 0; i < value.size(); ++i)
      visitor(Node(value[i], concat(path, "[", i, "]")));
  }

  template <typename Visitor> void eachMember(Visitor visitor) const {
    if (!value.is_object())
      fail("is not an object");
    for (const auto &[name, member] : value.items())
      visitor(name, Node(member, path + "." + name));
  }

  std::string string() const {
    if (!value.is_string())
      fail("is not a string");
    return value;
  }

  double number() const {
    if (!value.is_number())
      fail("is not a number");
    return value;
  }

  int64_t integer() const {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX))
      fail("is not a whole number");
    return value;
  }

  uint64_t size() const {
    if (integer() < 0)
      fail("is negative");
    return integer();
  }

  uint32_t size32() const {
    if (size() > INT32_MAX)
      fail("is too large");
    return size();
  }

  ElementType type() const {
    for (const ElementTypeInfo &type : elementTypes())
      if (string() == type.name)
        return type.type;
    fail("'" + string() + "' is not a type that this runtime knows");
  }

  Shape shape() const {
    Shape sizes;
    each([&](Node size) { sizes.push_back(size.size()); });
    return sizes;
  }

  /// Unwraps a result of a check about this place.
  template <typename T> T check(Result<T> result) const {
    if (!result.ok())
      fail(result.status().message());
    return *result;
  }

private:
  const json &value;
  std::string path;
};

uint32_t parseClass(const Node &node) {
  static const std::map<std::string, uint32_t> classes = {
      {"parameter", DSRT_CLASS_PARAMETER},
      {"gradient", DSRT_CLASS_GRADIENT},
      {"optimizer", DSRT_CLASS_OPTIMIZER},
      {"scalar", DSRT_CLASS_SCALAR},
      {"staging", DSRT_CLASS_STAGING}};
  auto found = classes.find(node.string());
  if (found == classes.end())
    node.fail("'" + node.string() + "' is not a class of state");
  return found->second;
}

Manifest::Group parseGroup(const Node &node) {
  Manifest::Group group;
  group.name = node.at("name").string();
  group.type = node.at("type").type();
  group.layout = {node.at("elements").size(), uint32_t(byteSize(group.type)),
                  node.at("stage").size32()};
  return group;
}

Manifest::State parseState(const Node &node, size_t groupCount) {
  Manifest::State state;
  state.name = node.at("name").string();
  state.type = node.at("type").type();
  state.shape = node.at("shape").shape();
  state.bytes = node.at("shape").check(byteCount(state.type, state.shape));
  state.initial = node.find("initial") ? node.at("initial").number() : 0.0;
  if (std::optional<Node> kind = node.find("kind"))
    state.kind = kind->string();
  int64_t group = node.find("group") ? node.at("group").integer() : -1;
  if (group < -1 || group >= int64_t(groupCount))
    node.at("group").fail("is not the index of a group");
  uint64_t elements = state.bytes / byteSize(state.type);
  if (node.at("elements").size() != elements)
    node.at("elements").fail("does not fit the shape");
  state.layout = {elements,
                  uint32_t(byteSize(state.type)),
                  parseClass(node.at("class")),
                  int32_t(group),
                  group < 0 ? 0 : node.at("offset").size(),
                  node.find("offloaded").has_value()};
  return state;
}

Manifest::Parameter parseParameter(const Node &node, const Manifest &manifest) {
  Manifest::Parameter parameter;
  parameter.name = node.at("name").string();
  parameter.role = node.at("role").string();
  parameter.state = node.at("state").size32();
  if (parameter.state >= manifest.states.size())
    node.at("state").fail("is not the index of a state");
  if (std::optional<Node> source = node.find("source"))
    parameter.source = Manifest::Source{source->at("file").string(),
                                        source->at("offset").size(),
                                        source->at("bytes").size()};
  return parameter;
}

Manifest::Input parseInput(const Node &node) {
  Manifest::Input input;
  input.name = node.at("name").string();
  input.role = node.at("role").string();
  input.type = node.at("type").type();
  input.shape = node.at("shape").shape();
  input.bytes = node.at("shape").check(byteCount(input.type, input.shape));
  if (std::optional<Node> classes = node.find("classes"))
    input.classes = classes->integer();
  if (std::optional<Node> ignored = node.find("ignore_index"))
    input.ignoreIndex = ignored->integer();
  if (std::optional<Node> limit = node.find("index_limit"))
    input.indexLimit = limit->size();
  if (std::optional<Node> shift = node.find("shift"))
    input.shift = shift->integer();
  if (input.shift != 0 && input.shift != 1)
    node.at("shift").fail("is neither 0 nor 1");
  if (input.classes && input.type != ElementType::I64 &&
      input.type != ElementType::I32)
    node.at("type").fail("class labels are i64 or i32");
  return input;
}

/// `number` is that of the output.
Manifest::Check parseCheck(const Node &node, const Manifest &manifest,
                           size_t number) {
  auto text = [&](const char *key) {
    std::optional<Node> found = node.find(key);
    return found ? found->string() : std::string();
  };
  Manifest::Check check;
  check.kind = node.at("kind").string();
  check.direction = text("direction");
  check.place = text("place");
  check.op = text("op");
  check.name = text("name");
  check.stateName = text("state");
  check.shape = node.at("shape").shape();
  check.meant = node.find("meant").has_value();
  check.leaves = node.find("leaves").has_value();
  if (!check.stateName.empty() &&
      !(check.state = manifest.findState(check.stateName)))
    node.at("state").fail("is no state");
  if (std::optional<Node> inputs = node.find("inputs"))
    inputs->each([&](Node input) {
      if (input.integer() < -1 || input.integer() >= int64_t(number))
        input.fail("is no output before this one");
      check.inputs.push_back(input.integer());
    });
  return check;
}

Manifest::Output parseOutput(const Node &node, const Manifest &manifest,
                             size_t number) {
  const uint64_t arenaBytes = manifest.arenaBytes;
  Manifest::Output output;
  output.name = node.at("name").string();
  output.type = node.at("type").type();
  output.shape = node.at("shape").shape();
  output.bytes = node.at("shape").check(byteCount(output.type, output.shape));
  output.arenaOffset = node.at("arena_offset").size();
  if (output.arenaOffset > arenaBytes ||
      output.bytes > arenaBytes - output.arenaOffset)
    node.at("arena_offset").fail("lies outside the arena");
  if (std::optional<Node> layer = node.find("layer")) {
    output.layer = layer->string();
    output.normOf = node.at("norm_of").string();
  }
  if (std::optional<Node> check = node.find("check"))
    output.check = parseCheck(*check, manifest, number);
  return output;
}

Manifest::Collective parseCollective(const Node &node) {
  auto text = [&](const char *key) {
    std::optional<Node> found = node.find(key);
    return found ? found->string() : std::string();
  };
  Manifest::Collective collective{
      node.at("op").string(),  text("group"),
      text("source"),          node.at("bytes").size(),
      node.at("calls").size(), node.find("joined").has_value()};
  if (collective.calls < 1 || collective.calls > kMostCalls)
    node.at("calls").fail(concat("is not from 1 to ", kMostCalls));
  return collective;
}

Manifest::Operation parseOperation(const Node &node) {
  std::optional<Node> place = node.find("node"), bytes = node.find("bytes");
  return {node.at("name").string(),     node.at("cat").string(),
          place ? place->string() : "", bytes ? bytes->size() : 0,
          node.at("stream").size32(),   node.find("joined").has_value()};
}

int64_t parseBatch(const Node &node) {
  if (node.integer() < 1)
    node.fail("is not positive");
  return node.integer();
}

Manifest::Entry parseEntry(const Node &node, const Manifest &manifest) {
  Manifest::Entry entry;
  entry.name = node.at("name").string();
  entry.kind = node.at("kind").string();
  entry.symbol = node.at("symbol").string();
  std::optional<Node> batch = node.find("batch");
  entry.batch = batch ? parseBatch(*batch) : manifest.batch;
  node.at("inputs").each(
      [&](Node input) { entry.inputs.push_back(parseInput(input)); });
  node.at("outputs").each([&](Node output) {
    entry.outputs.push_back(
        parseOutput(output, manifest, entry.outputs.size()));
  });
  if (std::optional<Node> collectives = node.find("collectives"))
    collectives->each([&](Node collective) {
      entry.collectives.push_back(parseCollective(collective));
    });
  if (std::optional<Node> operations = node.find("operations"))
    operations->each([&](Node operation) {
      entry.operations.push_back(parseOperation(operation));
    });
  return entry;
}

Manifest parseDocument(const Node &root) {
  Manifest manifest;
  if (root.at("format").integer() != 1)
    root.at("format").fail("this runtime reads format 1");
  manifest.compilerVersion = root.at("dsc").string();
  manifest.model = root.at("model").string();
  Node target = root.at("target");
  manifest.triple = target.at("triple").string();
  manifest.cpu = target.at("cpu").string();
  manifest.features = target.at("features").string();
  manifest.optimizer = root.at("optimizer").string();
  manifest.loss = root.at("loss").string();
  manifest.precision = root.at("precision").string();
  manifest.hash = root.at("hash").string();
  manifest.unit = root.at("unit").size32();
  manifest.maxWorld = root.at("max_world").size32();
  if (manifest.unit == 0)
    root.at("unit").fail("is zero");
  manifest.arenaBytes = root.at("arena_bytes").size();
  manifest.batch = parseBatch(root.at("batch"));

  if (std::optional<Node> options = root.find("options"))
    options->eachMember([&](const std::string &name, Node value) {
      manifest.options[name] = value.string();
    });
  root.at("settings").each([&](Node node) {
    manifest.settings.push_back(
        {node.at("name").string(), node.at("flag").string(),
         node.at("default").number(),
         node.find("help") ? node.at("help").string() : ""});
  });
  root.at("groups").each(
      [&](Node node) { manifest.groups.push_back(parseGroup(node)); });
  root.at("states").each([&](Node node) {
    manifest.states.push_back(parseState(node, manifest.groups.size()));
  });
  root.at("parameters").each([&](Node node) {
    manifest.parameters.push_back(parseParameter(node, manifest));
  });
  if (std::optional<Node> weights = root.find("weights"))
    manifest.weights = weights->string();
  root.at("entries").each([&](Node node) {
    manifest.entries.push_back(parseEntry(node, manifest));
  });
  return manifest;
}

} // namespace

std::string Manifest::Collective::describe() const {
  return op + (group.empty() ? "" : " of " + group) +
         (source.empty() ? "" : " at " + source);
}

std::vector<std::string> Manifest::Entry::callLabels() const {
  std::vector<std::string> labels;
  auto first = collectives.begin();
  while (first != collectives.end()) {
    auto end = std::find_if(first + 1, collectives.end(),
                            [](auto &each) { return !each.joined; });
    // Those that are joined make their first calls together, then their second.
    for (uint64_t call = 0; call < first->calls; ++call)
      for (auto each = first; each != end; ++each)
        labels.push_back(each->describe() + " in '" + name + "'");
    first = end;
  }
  return labels;
}

const Manifest::Entry *Manifest::findEntry(std::string_view name) const {
  for (const Entry &entry : entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

std::vector<const Manifest::Entry *>
Manifest::entriesOf(std::string_view kind) const {
  std::vector<const Entry *> found;
  for (const Entry &entry : entries)
    if (entry.kind == kind)
      found.push_back(&entry);
  return found;
}

const Manifest::Setting *Manifest::findSetting(std::string_view name) const {
  for (const Setting &setting : settings)
    if (setting.name == name || setting.flag == name)
      return &setting;
  return nullptr;
}

std::optional<uint32_t> Manifest::findState(std::string_view name) const {
  for (uint32_t i = 0; i < states.size(); ++i)
    if (states[i].name == name)
      return i;
  return std::nullopt;
}

Result<Manifest> dsc::runtime::parseManifest(std::string_view text) {
  try {
    json document = json::parse(text.begin(), text.end());
    return parseDocument(Node(document, ""));
  } catch (const Located &error) {
    return inputError("manifest: ", error.path, error.path.empty() ? "" : ": ",
                      error.reason);
  } catch (const json::exception &error) {
    return inputError("manifest: ", error.what());
  }
}
