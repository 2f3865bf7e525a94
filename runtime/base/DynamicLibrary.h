#ifndef DSC_RUNTIME_BASE_DYNAMICLIBRARY_H
#define DSC_RUNTIME_BASE_DYNAMICLIBRARY_H

#include "runtime/base/Status.h"

#include <string>

namespace dsc::runtime {

/// A shared library that is loaded at run time and unloaded with this object.
class DynamicLibrary {
public:
  /// Loads `path` with all its symbols bound at once and none of them shared
  /// with other libraries.
  static Result<DynamicLibrary> open(const std::string &path);

  DynamicLibrary(DynamicLibrary &&other) noexcept;
  DynamicLibrary &operator=(DynamicLibrary &&other) noexcept;
  ~DynamicLibrary();

  /// Address of a symbol, or null.
  void *find(const char *symbol) const;

  /// Address of a symbol as a T, or null.
  template <typename T> T findAs(const char *symbol) const {
    return reinterpret_cast<T>(find(symbol));
  }

private:
  explicit DynamicLibrary(void *handle) : handle(handle) {}

  void *handle;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_BASE_DYNAMICLIBRARY_H
