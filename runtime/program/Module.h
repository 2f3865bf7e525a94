#ifndef DSC_RUNTIME_PROGRAM_MODULE_H
#define DSC_RUNTIME_PROGRAM_MODULE_H

#include "runtime/abi/dsrt.h"
#include "runtime/base/DynamicLibrary.h"
#include "runtime/program/Manifest.h"

#include <string>
#include <vector>

namespace dsc::runtime {

/// A compiled module, loaded: its manifest and its entry points.
class Module {
public:
  /// Loads `path` and checks that this process can run it: file, architecture,
  /// ABI version, manifest, CPU features, entry points. None of the module's
  /// code runs here.
  static Result<Module> open(const std::string &path);

  const std::string &path() const { return filePath; }
  const Manifest &manifest() const { return contents; }
  std::string_view manifestText() const { return text; }

  /// Function of manifest().entries[index].
  dsrt_entry entry(size_t index) const { return entries[index]; }

  /// `name` beside the module, unless it is an absolute path.
  std::string resolve(const std::string &name) const;

private:
  Module(std::string path, DynamicLibrary library)
      : filePath(std::move(path)), library(std::move(library)) {}

  Status bind();

  std::string filePath;
  DynamicLibrary library;
  std::string_view text;
  Manifest contents;
  std::vector<dsrt_entry> entries;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_MODULE_H
