#include "compiler/export/onnx/ModuleManifest.h"

#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace dsc::onnx_export {

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// Shapes the JSON of one parameter; see docs/module-format.md.
static bool fromJSON(const json::Value &value, ExportedParameter &parameter,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  std::string role;
  if (!map || !map.map("name", parameter.name) ||
      !map.map("type", parameter.type) || !map.map("shape", parameter.shape) ||
      !map.map("role", role) || !map.mapOptional("ties", parameter.ties))
    return false;
  parameter.trained = role == "trainable";
  const json::Object *source = value.getAsObject()->getObject("source");
  if (!source)
    return true;
  std::optional<StringRef> file = source->getString("file");
  std::optional<int64_t> offset = source->getInteger("offset");
  std::optional<int64_t> bytes = source->getInteger("bytes");
  if (!file || !offset || !bytes || *offset < 0 || *bytes < 0) {
    path.field("source").report("expected file, offset and bytes");
    return false;
  }
  parameter.source = {file->str(), static_cast<uint64_t>(*offset),
                      static_cast<uint64_t>(*bytes)};
  return true;
}

static bool fromJSON(const json::Value &value, ModuleManifest &manifest,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("model", manifest.model) &&
         map.map("parameters", manifest.parameters);
}

static Expected<StringRef> findManifest(const object::ObjectFile &file) {
  for (const object::SectionRef &section : file.sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name != ".dsc.manifest")
      continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    return contents->rtrim('\0');
  }
  return makeError("it has no section .dsc.manifest, so dsc did not write it");
}

Expected<std::string> readManifestText(StringRef path) {
  auto binary = object::ObjectFile::createObjectFile(path);
  if (!binary) {
    std::string why = toString(binary.takeError());
    if (!sys::fs::is_regular_file(path))
      return makeError(why);
    return makeError("it is no module that dsc wrote: " + why);
  }
  Expected<StringRef> text = findManifest(*binary->getBinary());
  if (!text)
    return text.takeError();
  return text->str();
}

Expected<ModuleManifest> readModuleManifest(StringRef path) {
  Expected<std::string> text = readManifestText(path);
  if (!text)
    return text.takeError();
  Expected<json::Value> value = json::parse(*text);
  if (!value)
    return value.takeError();
  ModuleManifest manifest;
  json::Path::Root root("manifest");
  if (!fromJSON(*value, manifest, root))
    return root.getError();
  return manifest;
}

} // namespace dsc::onnx_export
