#include "runtime/data/CheckpointReader.h"
#include "runtime/data/CheckpointFolder.h"
#include "runtime/data/Crc32.h"

#include <filesystem>

using namespace dsc::runtime;

namespace {

/// Far above what the states of any model need.
constexpr uint64_t kLongestManifest = uint64_t(1) << 30;

} // namespace

Result<CheckpointManifest>
dsc::runtime::readCheckpointManifest(const std::string &set) {
  std::string path = set + "/manifest.json";
  DSC_ASSIGN(auto file, MappedFile::open(path));
  std::span<const std::byte> bytes = file->bytes();
  if (bytes.size() > kLongestManifest)
    return inputError("'", path, "' has ", bytes.size(), " bytes, above the ",
                      kLongestManifest, " that a manifest may have");
  auto manifest = parseCheckpointManifest(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (!manifest.ok())
    return manifest.status().in("'" + path + "'");
  std::string name = std::filesystem::path(set).filename();
  std::optional<uint64_t> step = checkpointStepOf(name);
  if (step && *step != manifest->step)
    return inputError("'", path, "' is of step ", manifest->step);
  for (const CheckpointManifest::File &part : manifest->files) {
    std::string partPath = set + "/" + part.name;
    std::error_code error;
    uint64_t size = std::filesystem::file_size(partPath, error);
    if (error)
      return inputError("'", partPath, "': ", error.message());
    if (size != part.bytes)
      return inputError("'", partPath, "' has ", size, " bytes, not ",
                        part.bytes);
  }
  return manifest;
}

Result<CheckpointReader> CheckpointReader::open(const std::string &path) {
  CheckpointReader reader;
  reader.set = path;
  if (!isCheckpointSet(path)) {
    DSC_ASSIGN(std::vector<uint64_t> steps, listCheckpoints(path));
    if (steps.empty())
      return inputError("'", path, "' holds no checkpoint");
    reader.set = path + "/" + checkpointSetName(steps.front());
  }
  DSC_ASSIGN(reader.described, readCheckpointManifest(reader.set));
  for (const CheckpointManifest::File &file : reader.described.files) {
    DSC_ASSIGN(auto mapped, MappedFile::open(reader.set + "/" + file.name));
    // Mapped anew, so looked at anew.
    if (mapped->bytes().size() != file.bytes)
      return inputError("'", mapped->path(), "' has changed");
    reader.files.push_back(std::move(mapped));
  }
  return reader;
}

Result<std::optional<Array>>
CheckpointReader::read(const std::string &name) const {
  const CheckpointManifest::Tensor *tensor = described.find(name);
  if (!tensor)
    return std::optional<Array>();
  uint64_t element = byteSize(tensor->type);
  auto joined = std::make_shared<std::vector<std::byte>>();
  Array array;
  array.location = set + ":" + name;
  array.type = tensor->type;
  array.typeName = info(tensor->type).numpy;
  array.shape = tensor->shape;
  array.owner = joined;
  if (tensor->pieces.size() > 1)
    joined->reserve(tensor->elements() * element);
  for (const CheckpointManifest::Piece &piece : tensor->pieces) {
    const std::shared_ptr<const MappedFile> &file = files[piece.file];
    std::span<const std::byte> bytes = file->bytes().subspan(
        piece.offset, (piece.end - piece.begin) * element);
    if (crc32Of(bytes) != piece.crc)
      return inputError("'", file->path(), "': the checksum of '", name,
                        "' does not match; an older set may be whole");
    if (tensor->pieces.size() == 1) {
      array.bytes = bytes;
      array.owner = array.file = file;
      return std::optional<Array>(std::move(array));
    }
    joined->insert(joined->end(), bytes.begin(), bytes.end());
  }
  array.bytes = *joined;
  return std::optional<Array>(std::move(array));
}
