#include "runtime/program/Weights.h"
#include "runtime/data/CheckpointReader.h"
#include "runtime/data/Safetensors.h"
#include "runtime/program/ConvertFloats.h"

#include <filesystem>

using namespace dsc::runtime;

namespace {

/// Hands an array over as a parameter, converted between floating-point types.
Status fill(const Array &array, const Manifest::Parameter &parameter,
            const Manifest::State &state, const ParameterSink &sink) {
  if (array.shape != state.shape)
    return inputError("'", array.location, "' has shape ",
                      toString(array.shape), " and the parameter has ",
                      toString(state.shape));
  if (array.type == state.type) {
    sink(parameter, array.bytes);
    return {};
  }
  std::vector<std::byte> converted(state.bytes);
  if (!convertFloats(array.bytes, array.typeName, state.type, converted))
    return inputError("'", array.location, "' holds ", array.typeName,
                      " and the parameter is ", info(state.type).numpy);
  sink(parameter, converted);
  return {};
}

/// The tensor of a name, if there is one.
using TensorSource =
    std::function<Result<std::optional<Array>>(const std::string &)>;

/// Opens a safetensors file, or a checkpoint.
Result<TensorSource> openTensors(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    DSC_ASSIGN(CheckpointReader reader, CheckpointReader::open(path));
    return TensorSource(
        [reader](const std::string &name) { return reader.read(name); });
  }
  DSC_ASSIGN(SafetensorsFile file, SafetensorsFile::open(path));
  return TensorSource(
      [file](const std::string &name) -> Result<std::optional<Array>> {
        const Array *array = file.find(name);
        return array ? std::optional(*array) : std::nullopt;
      });
}

/// Fills what `source` has of `wanted` and returns the rest.
Result<std::vector<const Manifest::Parameter *>>
fillFrom(const TensorSource &source, const Module &module,
         const std::vector<const Manifest::Parameter *> &wanted,
         const ParameterSink &sink) {
  std::vector<const Manifest::Parameter *> missing;
  for (const Manifest::Parameter *parameter : wanted) {
    DSC_ASSIGN(std::optional<Array> array, source(parameter->name));
    if (array)
      DSC_RETURN_IF_ERROR(fill(*array, *parameter,
                               module.manifest().states[parameter->state],
                               sink));
    else
      missing.push_back(parameter);
  }
  return missing;
}

Status missingError(const std::string &path,
                    const std::vector<const Manifest::Parameter *> &missing) {
  std::string names;
  for (const Manifest::Parameter *parameter : missing)
    names += (names.empty() ? "" : ", ") + parameter->name;
  return inputError("'", path, "' lacks ", missing.size(), " of the module's ",
                    "parameters: ", names);
}

/// The weights file beside the module.
Result<TensorSource> openOwnWeights(const Module &module) {
  const Manifest &manifest = module.manifest();
  std::string path = module.resolve(*manifest.weights);
  Result<TensorSource> file = openTensors(path);
  if (!file.ok())
    return inputError(file.status().message(), " (initial parameters of '",
                      module.path(), "'; --weights=FILE names others)");
  return file;
}

/// Hands over the byte range of the model file that holds a parameter.
Status fillFromSource(const Module &module,
                      const Manifest::Parameter &parameter,
                      const ParameterSink &sink) {
  std::string path = module.resolve(parameter.source->file);
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  if (!file.ok())
    return file.status().in("parameter '" + parameter.name + "'");
  const Manifest::Source &source = *parameter.source;
  std::span<const std::byte> bytes = (*file)->bytes();
  if (source.bytes != module.manifest().states[parameter.state].bytes ||
      source.offset > bytes.size() ||
      source.bytes > bytes.size() - source.offset)
    return inputError("parameter '", parameter.name, "': '", path,
                      "' is not the file that the module was compiled from");
  sink(parameter, bytes.subspan(source.offset, source.bytes));
  return {};
}

} // namespace

Status dsc::runtime::loadParameters(const Module &module,
                                    const std::string &weightsPath,
                                    const ParameterSink &sink) {
  const Manifest &manifest = module.manifest();
  std::vector<const Manifest::Parameter *> wanted;
  for (const Manifest::Parameter &parameter : manifest.parameters)
    wanted.push_back(&parameter);

  if (!weightsPath.empty()) {
    DSC_ASSIGN(TensorSource file, openTensors(weightsPath));
    DSC_ASSIGN(wanted, fillFrom(file, module, wanted, sink));
    // Checkpoints of other tools leave constants out; the module has those.
    for (const Manifest::Parameter *parameter : wanted)
      if (parameter->role != "buffer")
        return missingError(weightsPath, wanted);
  }
  if (!wanted.empty() && manifest.weights) {
    DSC_ASSIGN(TensorSource file, openOwnWeights(module));
    DSC_ASSIGN(wanted, fillFrom(file, module, wanted, sink));
    if (!wanted.empty())
      return missingError(module.resolve(*manifest.weights), wanted);
  }
  for (const Manifest::Parameter *parameter : wanted) {
    if (!parameter->source)
      return inputError("parameter '", parameter->name, "' of '", module.path(),
                        "' has no initial data; ",
                        "give it with --weights=FILE.safetensors");
    DSC_RETURN_IF_ERROR(fillFromSource(module, *parameter, sink));
  }
  return {};
}

Status dsc::runtime::saveParameters(const Module &module,
                                    const std::string &path,
                                    const ParameterReader &read) {
  const Manifest &manifest = module.manifest();
  std::vector<TensorHeader> tensors;
  for (const Manifest::Parameter &parameter : manifest.parameters) {
    const Manifest::State &state = manifest.states[parameter.state];
    tensors.push_back({parameter.name, state.type, state.shape, state.bytes});
  }
  return writeSafetensors(
      path, tensors,
      [&](size_t index) { return read(manifest.parameters[index]); },
      {{"dsc", dsrt_version()}, {"dsc.module", manifest.hash}});
}
