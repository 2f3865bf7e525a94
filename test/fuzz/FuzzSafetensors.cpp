// A safetensors file: its header, and that no tensor leaves the file.

#include "runtime/data/Safetensors.h"
#include "test/fuzz/FuzzInput.h"

using namespace dsc::fuzz;
using namespace dsc::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  InputFile input(data, size);
  Result<SafetensorsFile> file = SafetensorsFile::open(input.path());
  requireSentence(file.status());
  if (!file.ok())
    return 0;
  for (const auto &[name, array] : file->tensors()) {
    require(file->find(name) == &array);
    Result<uint64_t> count = elementCount(array.shape);
    require(count.ok());
    if (array.type)
      require(*count * byteSize(*array.type) == array.bytes.size());
    touch(array.bytes);
  }
  return 0;
}
