// A zip archive: its directory, a member that is stored and one that is
// deflated, of which each holds a .npy.

#include "runtime/data/Npz.h"
#include "test/fuzz/FuzzInput.h"

using namespace dsc::fuzz;
using namespace dsc::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  InputFile input(data, size);
  Result<std::shared_ptr<const MappedFile>> file =
      MappedFile::open(input.path());
  require(file.ok());
  for (const char *key : {"", "x", "y"}) {
    Result<Array> array = readNpz(*file, key);
    requireSentence(array.status());
    if (array.ok())
      touch(array->bytes);
  }
  return 0;
}
