#include "compiler/explain/Manifest.h"

#include "llvm/Support/JSON.h"

using namespace llvm;

namespace dsc::explain {

/// Version of the manifest that this file reads.
static constexpr int64_t kFormat = 1;

// Found by LLVM's JSON mapper through the namespace of their types.

static bool fromJSON(const json::Value &value, Manifest::Target &target,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("kind", target.kind) &&
         map.map("triple", target.triple) && map.map("cpu", target.cpu) &&
         map.map("features", target.features);
}

static bool fromJSON(const json::Value &value, Manifest::Setting &setting,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("flag", setting.flag) &&
         map.map("default", setting.initial) && map.map("help", setting.help);
}

static bool fromJSON(const json::Value &value, Manifest::Segment &segment,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("tensor", segment.tensor) &&
         map.map("offset", segment.offset) &&
         map.map("elements", segment.elements);
}

static bool fromJSON(const json::Value &value, Manifest::Group &group,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", group.name) && map.map("type", group.type) &&
         map.map("elements", group.elements) && map.map("stage", group.stage) &&
         map.map("segments", group.segments);
}

static bool fromJSON(const json::Value &value, Manifest::State &state,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", state.name) &&
         map.map("class", state.stateClass) && map.map("type", state.type) &&
         map.map("shape", state.shape) && map.map("group", state.group) &&
         map.mapOptional("kind", state.kind) &&
         map.mapOptional("offloaded", state.offloaded);
}

static bool fromJSON(const json::Value &value, Manifest::Parameter &parameter,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", parameter.name) &&
         map.map("type", parameter.type) && map.map("role", parameter.role) &&
         map.map("shape", parameter.shape) &&
         map.mapOptional("reason", parameter.reason) &&
         map.mapOptional("ties", parameter.ties);
}

static bool fromJSON(const json::Value &value, Manifest::Tensor &tensor,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", tensor.name) && map.map("type", tensor.type) &&
         map.map("shape", tensor.shape) && map.mapOptional("role", tensor.role);
}

static bool fromJSON(const json::Value &value, Manifest::Collective &collective,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("op", collective.op) &&
         map.map("bytes", collective.bytes) &&
         map.map("calls", collective.calls) &&
         map.mapOptional("axis", collective.axis) &&
         map.mapOptional("group", collective.group);
}

static bool fromJSON(const json::Value &value, Manifest::Entry &entry,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", entry.name) && map.map("kind", entry.kind) &&
         map.map("hash", entry.hash) && map.map("inputs", entry.inputs) &&
         map.map("outputs", entry.outputs) &&
         map.map("arena_bytes", entry.arenaBytes) &&
         map.map("launches", entry.launches) &&
         map.map("collectives", entry.collectives) &&
         map.mapOptional("batch", entry.batch);
}

static bool fromJSON(const json::Value &value, Manifest::Plan &plan,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("arena", plan.arena) &&
         map.map("classes", plan.classes);
}

static bool fromJSON(const json::Value &value, Manifest &manifest,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  int64_t format = 0;
  if (!map || !map.map("format", format))
    return false;
  if (format != kFormat) {
    path.field("format").report("another version of dsc wrote it");
    return false;
  }
  return map.map("abi", manifest.abi) && map.map("dsc", manifest.compiler) &&
         map.map("model", manifest.model) &&
         map.map("target", manifest.target) &&
         map.map("zero_stage", manifest.zeroStage) &&
         map.map("max_world", manifest.maxWorld) &&
         map.map("unit", manifest.unit) &&
         map.map("optimizer", manifest.optimizer) &&
         map.map("loss", manifest.loss) &&
         map.map("precision", manifest.precision) &&
         map.map("options", manifest.options) &&
         map.map("settings", manifest.settings) &&
         map.map("groups", manifest.groups) &&
         map.map("states", manifest.states) &&
         map.map("parameters", manifest.parameters) &&
         map.map("weights", manifest.weights) &&
         map.map("entries", manifest.entries) &&
         map.map("plan", manifest.plan) && map.map("hash", manifest.hash);
}

Expected<Manifest> parseManifest(StringRef text) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  Manifest manifest;
  json::Path::Root root("manifest");
  if (!fromJSON(*value, manifest, root))
    return root.getError();
  for (const Manifest::State &state : manifest.states)
    if (state.group < -1 ||
        state.group >= static_cast<int64_t>(manifest.groups.size()))
      return createStringError("manifest: state '" + state.name +
                               "' is in a group that does not exist");
  return manifest;
}

} // namespace dsc::explain
