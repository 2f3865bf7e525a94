#include "runtime/data/Array.h"
#include "runtime/data/MappedFile.h"
#include "runtime/data/Npy.h"
#include "runtime/data/Npz.h"
#include "runtime/data/Safetensors.h"

using namespace dsc::runtime;

namespace {

Result<Array> readFromSafetensors(const std::string &path,
                                  const std::string &key) {
  DSC_ASSIGN(SafetensorsFile file, SafetensorsFile::open(path));
  if (key.empty() && file.tensors().size() == 1)
    return file.tensors().begin()->second;
  std::string keys;
  for (const auto &[name, array] : file.tensors())
    keys += (keys.empty() ? "" : ", ") + name;
  if (key.empty())
    return inputError("'", path, "' holds several tensors (", keys,
                      "); name one as ", path, ":KEY");
  if (const Array *array = file.find(key))
    return *array;
  return inputError("'", path, "' has no tensor '", key, "'; it has ",
                    keys.empty() ? "none" : keys);
}

/// Splits `FILE.ext:KEY` after the extension, so that a path may hold colons.
bool splitKey(const std::string &location, const std::string &extension,
              std::string &path, std::string &key) {
  if (location.ends_with(extension)) {
    path = location;
    return true;
  }
  size_t colon = location.find(extension + ":");
  if (colon == std::string::npos)
    return false;
  path = location.substr(0, colon + extension.size());
  key = location.substr(path.size() + 1);
  return true;
}

} // namespace

Result<Array> dsc::runtime::readArray(const std::string &location) {
  std::string path, key;
  if (splitKey(location, ".npz", path, key)) {
    DSC_ASSIGN(auto file, MappedFile::open(path));
    return readNpz(file, key);
  }
  if (splitKey(location, ".safetensors", path, key))
    return readFromSafetensors(path, key);
  if (!location.ends_with(".npy"))
    return inputError("'", location, "': data is read from FILE.npy, ",
                      "FILE.npz:KEY or FILE.safetensors:KEY");
  DSC_ASSIGN(auto file, MappedFile::open(location));
  return parseNpy(file->bytes(), location, file);
}
