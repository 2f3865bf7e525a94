#include "runtime/program/ElfFile.h"
#include "runtime/device/host/CpuFeatures.h"

#include <cstring>
#include <elf.h>

using namespace dsc::runtime;

static const char *architectureOf(uint16_t machine) {
  switch (machine) {
  case EM_X86_64:
    return "x86_64";
  case EM_AARCH64:
    return "aarch64";
  default:
    return "another architecture";
  }
}

Status dsc::runtime::checkElf(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header) ||
      std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0)
    return inputError("is not a dsc module (an ELF shared object); "
                      "compile one with dsc MODEL.onnx -o MODULE.so");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::strcmp(architectureOf(header.e_machine), hostArchitecture()) != 0)
    return inputError("was compiled for ", architectureOf(header.e_machine),
                      ", and this machine is ", hostArchitecture());
  uint64_t sections = uint64_t(header.e_shnum) * header.e_shentsize;
  if (header.e_shoff > bytes.size() || sections > bytes.size() - header.e_shoff)
    return inputError("is truncated");
  return {};
}
