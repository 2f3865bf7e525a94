#include "runtime/program/Module.h"
#include "runtime/data/MappedFile.h"
#include "runtime/device/host/CpuFeatures.h"
#include "runtime/program/ElfFile.h"

#include <cstring>
#include <dlfcn.h>
#include <filesystem>

using namespace dsc::runtime;

namespace {

/// Lets modules find the dsrt_ functions in this library, also where the
/// program itself has loaded it privately, as an interpreter does with its
/// extensions.
void exportRuntimeSymbols() {
  Dl_info self;
  if (dladdr(reinterpret_cast<void *>(&dsrt_version), &self) && self.dli_fname)
    dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

} // namespace

Result<Module> Module::open(const std::string &path) {
  DSC_ASSIGN(auto file, MappedFile::open(path));
  if (Status status = checkElf(file->bytes()); !status.ok())
    return inputError("'", path, "' ", status.message());
  exportRuntimeSymbols();
  // A bare name would be searched for in the library path.
  std::string located =
      path.find('/') == std::string::npos ? "./" + path : path;
  Result<DynamicLibrary> library = DynamicLibrary::open(located);
  if (!library.ok())
    return inputError("cannot load '", path, "': ", library.status().message());
  Module module(path, std::move(*library));
  if (Status status = module.bind(); !status.ok())
    return status.in("'" + path + "'");
  return module;
}

Status Module::bind() {
  auto *manifest = library.findAs<const char *>("dsc_manifest");
  auto *size = library.findAs<const uint64_t *>("dsc_manifest_size");
  auto *version = library.findAs<const uint32_t *>("dsc_abi_version");
  if (!manifest || !size || !version)
    return inputError("is not a dsc module: it has no dsc_manifest; "
                      "compile one with dsc MODEL.onnx -o MODULE.so");
  if (*version != DSRT_ABI_VERSION)
    return inputError("was compiled for version ", *version,
                      " of the runtime interface and this runtime has version ",
                      DSRT_ABI_VERSION, "; compile the model again with the ",
                      "dsc of this runtime (", dsrt_version(), ")");
  text = std::string_view(manifest, *size);
  DSC_ASSIGN(contents, parseManifest(text));

  if (!contents.triple.starts_with(hostArchitecture()))
    return inputError("was compiled for ", contents.triple,
                      ", and this machine is ", hostArchitecture());
  std::string flags = readCpuFlags();
  std::string missing;
  if (!flags.empty())
    for (const std::string &feature :
         missingCpuFeatures(contents.features, flags))
      missing += (missing.empty() ? "" : ", ") + feature;
  if (!missing.empty())
    return inputError("was compiled for the CPU '", contents.cpu,
                      "' and this CPU lacks ", missing,
                      "; compile the model with dsc -mcpu=native here");

  for (const Manifest::Entry &entry : contents.entries) {
    auto function = library.findAs<dsrt_entry>(entry.symbol.c_str());
    if (!function)
      return inputError("has no entry point ", entry.symbol,
                        ", which its manifest names");
    entries.push_back(function);
  }
  return {};
}

std::string Module::resolve(const std::string &name) const {
  return (std::filesystem::path(filePath).parent_path() / name).string();
}
