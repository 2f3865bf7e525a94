// The manifest of a module: all indices that it hands on are in range.

#include "runtime/program/Manifest.h"
#include "test/fuzz/FuzzInput.h"

using namespace dsc::fuzz;
using namespace dsc::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<Manifest> parsed =
      parseManifest({reinterpret_cast<const char *>(data), size});
  requireSentence(parsed.status());
  if (!parsed.ok())
    return 0;
  const Manifest &manifest = *parsed;
  require(manifest.unit > 0);
  for (const Manifest::Parameter &parameter : manifest.parameters)
    require(parameter.state < manifest.states.size());
  for (const Manifest::State &state : manifest.states) {
    require(manifest.findState(state.name).has_value());
    require(state.layout.group < int64_t(manifest.groups.size()));
    Result<uint64_t> count = elementCount(state.shape);
    require(count.ok() && *count * byteSize(state.type) == state.bytes);
  }
  for (const Manifest::Setting &setting : manifest.settings)
    require(manifest.findSetting(setting.name) != nullptr);
  for (const Manifest::Entry &entry : manifest.entries) {
    require(manifest.findEntry(entry.name) != nullptr);
    require(entry.batch > 0);
    for (const Manifest::Input &input : entry.inputs) {
      Result<uint64_t> count = elementCount(input.shape);
      require(count.ok() && *count * byteSize(input.type) == input.bytes);
    }
    for (const Manifest::Output &output : entry.outputs)
      require(output.arenaOffset <= manifest.arenaBytes &&
              output.bytes <= manifest.arenaBytes - output.arenaOffset);
    (void)entry.callLabels();
  }
  return 0;
}
