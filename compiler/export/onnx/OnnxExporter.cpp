#include "compiler/export/onnx/OnnxExporter.h"

#include "compiler/OutputFile.h"
#include "compiler/export/onnx/GraphEdit.h"
#include "compiler/export/onnx/ModuleManifest.h"
#include "compiler/export/onnx/PatchedFile.h"
#include "compiler/import/onnx/Safetensors.h"
#include "compiler/import/onnx/WireFormat.h"
#include "runtime/data/CheckpointReader.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <list>

using namespace dsc;
using namespace dsc::onnx_export;
using namespace llvm;

/// New tensors up to this size go into the graph, which protobuf limits to
/// 2 GiB; more go into a file beside it.
static constexpr uint64_t largestInline = uint64_t(1) << 30;

namespace {

/// One run of `dsc export`. Files are mapped and stay so until the end.
class Exporter {
public:
  explicit Exporter(const ExportOptions &options) : options(options) {}
  Error run();

private:
  Expected<StringRef> map(StringRef path);
  Error openModel();
  Error openTrained();
  Expected<StringRef> findTrained(const ExportedParameter &parameter);
  bool mustWrite(const ExportedParameter &parameter) const;
  Error checkMissing() const;
  Error place(const ExportedParameter &parameter);
  Error placeTie(const ExportedParameter &parameter, StringRef tie,
                 StringRef data);
  Error write();

  const ExportOptions &options;
  ModuleManifest manifest;
  std::string modelPath;
  StringRef model;
  StringRef trainedFile;
  onnx_import::SafetensorsTable trained;
  /// In place of both, where the weights are a checkpoint, with its tensors.
  std::optional<runtime::CheckpointReader> checkpoint;
  std::list<runtime::Array> checkpointTensors;
  /// The model file and its external data files by path, with what changes.
  std::map<std::string, PatchedFile> files;
  /// External data file by its location in the model.
  StringMap<std::string> externalFiles;
  /// Where the model keeps initializer data inline: offset to length.
  DenseMap<uint64_t, uint64_t> inlineData;
  GraphTensors tensors;
  /// Tensors whose file is gone, or never was: a graph without its weights.
  StringMap<std::string> missing;
  std::vector<NewInitializer> newInitializers;
  std::list<std::string> transposed; // owns data of transposed ties
  std::vector<std::unique_ptr<MemoryBuffer>> buffers;
};

} // namespace

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<StringRef> Exporter::map(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError(path + ": " + buffer.getError().message());
  buffers.push_back(std::move(*buffer));
  return buffers.back()->getBuffer();
}

Error Exporter::openModel() {
  modelPath = options.model.empty() ? manifest.model : options.model;
  Expected<StringRef> bytes = map(modelPath);
  if (!bytes)
    return joinErrors(bytes.takeError(),
                      makeError("the module was compiled from it; say where it "
                                "is now with --model=MODEL.onnx"));
  model = *bytes;
  Expected<onnx_import::StrippedModel> stripped =
      onnx_import::stripInitializers(model);
  if (!stripped)
    return makeError(modelPath + ": " + toString(stripped.takeError()));
  for (const onnx_import::InlineData &data : stripped->initializers)
    if (data.field != onnx_import::InlineData::Field::None)
      inlineData[data.offset] = data.bytes;
  files.emplace(modelPath, PatchedFile(model));

  Expected<GraphTensors> listed = listTensors(stripped->bytes);
  if (!listed)
    return makeError(modelPath + ": " + toString(listed.takeError()));
  tensors = std::move(*listed);
  for (const ExternalTensor &tensor : tensors.external) {
    SmallString<128> path(sys::path::parent_path(modelPath));
    sys::path::append(path, tensor.file);
    if (!sys::fs::exists(path))
      missing[tensor.name] = path.str().str();
    else if (!externalFiles.contains(tensor.file)) {
      Expected<StringRef> contents = map(path);
      if (!contents)
        return contents.takeError();
      files.emplace(path.str().str(), PatchedFile(*contents));
      externalFiles[tensor.file] = path.str().str();
    }
  }
  return Error::success();
}

Error Exporter::openTrained() {
  if (sys::fs::is_directory(options.weights)) {
    auto opened = runtime::CheckpointReader::open(options.weights);
    if (!opened.ok())
      return makeError(opened.status().message());
    checkpoint = std::move(*opened);
    return Error::success();
  }
  Expected<StringRef> bytes = map(options.weights);
  if (!bytes)
    return bytes.takeError();
  trainedFile = *bytes;
  auto table = onnx_import::readSafetensorsTable(trainedFile);
  if (!table)
    return makeError(options.weights + ": " + toString(table.takeError()));
  trained = std::move(*table);
  return Error::success();
}

/// The trained values of a parameter; its shape and type must be the module's.
Expected<StringRef> Exporter::findTrained(const ExportedParameter &parameter) {
  StringRef data, type;
  ArrayRef<int64_t> shape;
  bool isFound = false;
  if (checkpoint) {
    auto tensor = checkpoint->read(parameter.name);
    if (!tensor.ok())
      return makeError(tensor.status().message());
    if ((isFound = tensor->has_value())) {
      const runtime::Array &array =
          checkpointTensors.emplace_back(std::move(**tensor));
      data = StringRef(reinterpret_cast<const char *>(array.bytes.data()),
                       array.bytes.size());
      type = runtime::info(*array.type).name;
      shape = array.shape;
    }
  } else if (auto found = trained.find(parameter.name);
             (isFound = found != trained.end())) {
    data = trainedFile.substr(found->second.offset, found->second.bytes);
    type = found->second.type;
    shape = found->second.shape;
  }
  if (!isFound)
    return makeError(options.weights + ": holds no tensor '" + parameter.name +
                     "', which the module " +
                     (parameter.trained ? "trains" : "needs"));
  if (type.lower() != parameter.type ||
      shape != ArrayRef<int64_t>(parameter.shape))
    return makeError(options.weights + ": tensor '" + parameter.name +
                     "' has another shape or type than in the module");
  return data;
}

static std::string transpose(StringRef data, ArrayRef<int64_t> shape,
                             size_t elementBytes) {
  std::string result(data.size(), '\0');
  auto rows = static_cast<size_t>(shape[0]);
  auto columns = static_cast<size_t>(shape[1]);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      memcpy(&result[(j * rows + i) * elementBytes],
             data.data() + (i * columns + j) * elementBytes, elementBytes);
  return result;
}

Error Exporter::placeTie(const ExportedParameter &parameter, StringRef tie,
                         StringRef data) {
  NewInitializer copy{tie.str(), parameter.type, parameter.shape, data};
  if (tie.ends_with("^T")) {
    if (parameter.shape.size() != 2)
      return makeError("'" + parameter.name +
                       "' is tied to a transpose but is not a matrix");
    size_t elements = parameter.shape[0] * parameter.shape[1];
    transposed.push_back(
        elements ? transpose(data, parameter.shape, data.size() / elements)
                 : std::string());
    copy.name = tie.drop_back(2).str();
    copy.data = transposed.back();
    std::swap(copy.shape[0], copy.shape[1]);
  }
  newInitializers.push_back(std::move(copy));
  return Error::success();
}

/// True if the model's file does not hold the parameter's value as it is now.
bool Exporter::mustWrite(const ExportedParameter &parameter) const {
  if (parameter.trained || missing.contains(parameter.name))
    return true;
  if (!parameter.source)
    return !tensors.defined.contains(parameter.name);
  // A value from --weights is none of the model's.
  std::string file = parameter.source->file;
  return file != manifest.model && !files.count(file);
}

/// Tensors without a file that are no parameters cannot be restored.
Error Exporter::checkMissing() const {
  StringSet<> written;
  for (const ExportedParameter &parameter : manifest.parameters) {
    written.insert(parameter.name);
    for (StringRef tie : parameter.ties) {
      tie.consume_back("^T");
      written.insert(tie);
    }
  }
  for (const ExternalTensor &tensor : tensors.external)
    if (missing.contains(tensor.name) && !written.contains(tensor.name))
      return makeError(modelPath + ": the file of tensor '" + tensor.name +
                       "', '" + missing.lookup(tensor.name) +
                       "', does not exist, and the module does not hold it "
                       "either");
  return Error::success();
}

/// Puts the trained values where the compiler found the initial ones, or, when
/// that is no place of this parameter's own, into a new initializer.
Error Exporter::place(const ExportedParameter &parameter) {
  Expected<StringRef> data = findTrained(parameter);
  if (!data)
    return data.takeError();
  for (const std::string &tie : parameter.ties)
    if (Error error = placeTie(parameter, tie, *data))
      return error;
  if (parameter.source) {
    const ExportedParameter::Source &source = *parameter.source;
    std::string file = source.file == manifest.model ? modelPath : source.file;
    auto found = files.find(file);
    bool inModel = file == modelPath;
    if (inModel && inlineData.lookup(source.offset) != source.bytes)
      return makeError(modelPath +
                       ": is not the file that the module was "
                       "compiled from: the data of '" +
                       parameter.name + "' is not where it was");
    if (found != files.end() && source.bytes == data->size() &&
        found->second.patch(source.offset, *data))
      return Error::success();
  }
  newInitializers.push_back(
      {parameter.name, parameter.type, parameter.shape, *data});
  return Error::success();
}

static bool writePatched(StringRef path, const PatchedFile &file) {
  return writeOutputFile(path, [&](raw_ostream &os) {
    file.write(os);
    return true;
  });
}

Error Exporter::write() {
  // Data files first: a graph that names a missing file is of no use.
  StringMap<std::string> movedFiles;
  for (auto &entry : externalFiles) {
    std::string suffix =
        movedFiles.empty() ? ".data"
                           : "." + std::to_string(movedFiles.size()) + ".data";
    movedFiles[entry.getKey()] =
        (sys::path::filename(options.output) + suffix).str();
    if (!writePatched(options.output + suffix, files.at(entry.getValue())))
      return makeError("");
  }
  const PatchedFile &graph = files.at(modelPath);
  if (movedFiles.empty() && newInitializers.empty())
    return writePatched(options.output, graph) ? Error::success()
                                               : makeError("");
  std::string patched;
  raw_string_ostream os(patched);
  graph.write(os);
  GraphEdits edits{std::move(newInitializers), std::move(movedFiles), ""};
  uint64_t bytes = 0;
  for (const NewInitializer &initializer : edits.initializers)
    bytes += initializer.data.size();
  if (bytes > largestInline) {
    std::string suffix =
        "." + std::to_string(edits.movedFiles.size()) + ".new.data";
    edits.dataFile = (sys::path::filename(options.output) + suffix).str();
    bool written =
        writeOutputFile(options.output + suffix, [&](raw_ostream &out) {
          for (const NewInitializer &initializer : edits.initializers)
            out << initializer.data;
          return true;
        });
    if (!written)
      return makeError("");
  }
  Expected<std::string> edited = editGraph(patched, edits);
  if (!edited)
    return makeError(options.output + ": " + toString(edited.takeError()));
  bool written = writeOutputFile(options.output, [&](raw_ostream &out) {
    out << *edited;
    return true;
  });
  return written ? Error::success() : makeError("");
}

Error Exporter::run() {
  Expected<ModuleManifest> read = readModuleManifest(options.module);
  if (!read)
    return makeError(options.module + ": " + toString(read.takeError()));
  manifest = std::move(*read);
  if (Error error = openModel())
    return error;
  if (sys::fs::equivalent(options.output, modelPath))
    return makeError(options.output + ": is the model itself; give -o another "
                                      "name");
  if (Error error = openTrained())
    return error;
  if (Error error = checkMissing())
    return error;
  for (const ExportedParameter &parameter : manifest.parameters)
    if (mustWrite(parameter))
      if (Error error = place(parameter))
        return error;
  return write();
}

int dsc::exportModel(const ExportOptions &options) {
  Error error = Exporter(options).run();
  if (!error)
    return 0;
  handleAllErrors(std::move(error), [](const ErrorInfoBase &info) {
    // An empty message: the writer has said it already.
    if (!info.message().empty())
      WithColor::error(errs(), "dsc") << info.message() << '\n';
  });
  return 1;
}
