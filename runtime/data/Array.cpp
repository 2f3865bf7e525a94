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

} // namespace

ArrayLocation dsc::runtime::splitLocation(const std::string &location) {
  for (std::string extension : {".npz", ".safetensors"}) {
    if (location.ends_with(extension))
      break;
    size_t colon = location.find(extension + ":");
    if (colon == std::string::npos)
      continue;
    colon += extension.size();
    return {location.substr(0, colon), location.substr(colon + 1)};
  }
  return {location, ""};
}

Result<Array> dsc::runtime::readArray(const std::string &location) {
  const auto [path, key] = splitLocation(location);
  if (path.ends_with(".safetensors"))
    return readFromSafetensors(path, key);
  if (!path.ends_with(".npz") && !path.ends_with(".npy"))
    return inputError("'", location, "': data is read from FILE.npy, ",
                      "FILE.npz:KEY or FILE.safetensors:KEY");
  DSC_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::open(path));
  if (path.ends_with(".npz"))
    return readNpz(file, key);
  DSC_ASSIGN(Array array, parseNpy(file->bytes(), location, file));
  array.file = file;
  return array;
}
