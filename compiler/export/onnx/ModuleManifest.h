#ifndef DSC_COMPILER_EXPORT_ONNX_MODULEMANIFEST_H
#define DSC_COMPILER_EXPORT_ONNX_MODULEMANIFEST_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsc::onnx_export {

/// What export needs to know of one parameter of a module.
struct ExportedParameter {
  std::string name;
  /// "f32", "f64", ...
  std::string type;
  std::vector<int64_t> shape;
  bool trained = false;
  /// Other tensors of the ONNX file that get this one's values: "B", or "B^T".
  std::vector<std::string> ties;
  /// Where the compiler found the initial values, if in a file.
  struct Source {
    std::string file;
    uint64_t offset;
    uint64_t bytes;
  };
  std::optional<Source> source;
};

struct ModuleManifest {
  /// The ONNX file, as it was named when the module was compiled.
  std::string model;
  std::vector<ExportedParameter> parameters;
};

/// The manifest section of a module that dsc wrote, without loading it.
llvm::Expected<std::string> readManifestText(llvm::StringRef path);

/// Reads the manifest section of a module that dsc wrote, without loading it.
llvm::Expected<ModuleManifest> readModuleManifest(llvm::StringRef path);

} // namespace dsc::onnx_export

#endif // DSC_COMPILER_EXPORT_ONNX_MODULEMANIFEST_H
