// What is checked of a module before the system's loader maps it.

#include "runtime/program/ElfFile.h"
#include "test/fuzz/FuzzInput.h"

using namespace dsc::fuzz;
using namespace dsc::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  requireSentence(checkElf(std::as_bytes(std::span(data, size))));
  return 0;
}
