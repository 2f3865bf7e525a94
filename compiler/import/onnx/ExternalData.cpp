#include "compiler/import/onnx/ExternalData.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace dsc::onnx_import;
using llvm::Error;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// The folder that really holds `file`, links resolved.
static std::string realFolder(StringRef file) {
  llvm::SmallString<256> real;
  StringRef folder = path::parent_path(file);
  if (fs::real_path(folder.empty() ? "." : folder, real))
    return "";
  return real.str().str();
}

static bool isBelow(StringRef file, StringRef folder) {
  return !folder.empty() && file.starts_with(folder) &&
         (folder == "/" || path::is_separator(file[folder.size()]));
}

/// True if `file` lies in the folder of the model. Model caches keep both as
/// links into a store; then the folder of the model's own target counts too.
static bool isBesideModel(StringRef file, StringRef model) {
  llvm::SmallString<256> realFile, realModel;
  if (fs::real_path(file, realFile) || fs::real_path(model, realModel))
    return false;
  return isBelow(realFile, realFolder(model)) ||
         isBelow(realFile, path::parent_path(realModel));
}

llvm::Expected<FileRange> dsc::onnx_import::locateExternalData(
    StringRef modelPath, const onnx::TensorProto &tensor, uint64_t bytes) {
  StringRef location;
  FileRange range{"", 0, bytes};
  uint64_t length = bytes;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    StringRef value = entry.value();
    bool bad = false;
    if (entry.key() == "location")
      location = value;
    else if (entry.key() == "offset")
      bad = value.getAsInteger(10, range.offset);
    else if (entry.key() == "length")
      bad = value.getAsInteger(10, length);
    if (bad)
      return llvm::createStringError("external data has a bad " + entry.key() +
                                     ": '" + value + "'");
  }
  if (location.empty())
    return llvm::createStringError("external data names no file");
  if (location.contains('\0') || path::is_absolute(location) ||
      llvm::is_contained(
          llvm::make_range(path::begin(location), path::end(location)),
          StringRef("..")))
    return llvm::createStringError("external data '" + location +
                                   "' is not a path below the model's folder");

  llvm::SmallString<256> file = path::parent_path(modelPath);
  path::append(file, location);
  fs::file_status status;
  if (std::error_code error = fs::status(file, status))
    return llvm::createStringError(error, "cannot read external data '" + file +
                                              "': " + error.message());
  if (!fs::is_regular_file(status))
    return llvm::createStringError("external data '" + file +
                                   "' is not a regular file");
  if (!isBesideModel(file, modelPath))
    return llvm::createStringError("external data '" + file +
                                   "' links to outside the model's folder");
  if (length != bytes)
    return llvm::createStringError("external data has " + llvm::Twine(length) +
                                   " bytes where the tensor needs " +
                                   llvm::Twine(bytes));
  if (range.offset > status.getSize() ||
      bytes > status.getSize() - range.offset)
    return llvm::createStringError(
        "external data at offset " + llvm::Twine(range.offset) + " with " +
        llvm::Twine(bytes) + " bytes ends behind the end of '" + file + "' (" +
        llvm::Twine(status.getSize()) + " bytes)");
  range.path = file.str().str();
  return range;
}
