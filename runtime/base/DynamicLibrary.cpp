#include "runtime/base/DynamicLibrary.h"

#include <dlfcn.h>

using namespace dsc::runtime;

Result<DynamicLibrary> DynamicLibrary::open(const std::string &path) {
  if (void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
    return DynamicLibrary(handle);
  const char *reason = dlerror();
  return inputError(reason ? reason : "cannot be loaded");
}

DynamicLibrary::DynamicLibrary(DynamicLibrary &&other) noexcept
    : handle(std::exchange(other.handle, nullptr)) {}

DynamicLibrary &DynamicLibrary::operator=(DynamicLibrary &&other) noexcept {
  std::swap(handle, other.handle);
  return *this;
}

DynamicLibrary::~DynamicLibrary() {
  if (handle)
    dlclose(handle);
}

void *DynamicLibrary::find(const char *symbol) const {
  return dlsym(handle, symbol);
}
