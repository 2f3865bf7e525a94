// The header of a .npy file, in each of its versions, and what npyHeader
// writes.

#include "runtime/data/Npy.h"
#include "test/fuzz/FuzzInput.h"

#include <cstring>
#include <vector>

using namespace dsc::fuzz;
using namespace dsc::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto bytes = std::as_bytes(std::span(data, size));
  Result<Array> array = parseNpy(bytes, "a.npy", nullptr);
  requireSentence(array.status());
  if (!array.ok())
    return 0;
  touch(array->bytes);
  if (!array->type)
    return 0;
  Result<uint64_t> count = elementCount(array->shape);
  require(count.ok() && *count * byteSize(*array->type) == array->bytes.size());
  // What is read can be written, and read again.
  std::string text = npyHeader(*array->type, array->shape);
  text.append(reinterpret_cast<const char *>(array->bytes.data()),
              array->bytes.size());
  Result<Array> again =
      parseNpy(std::as_bytes(std::span(text)), "b.npy", nullptr);
  require(again.ok() && again->shape == array->shape &&
          again->type == array->type);
  require(array->bytes.empty() ||
          std::memcmp(again->bytes.data(), array->bytes.data(),
                      array->bytes.size()) == 0);
  return 0;
}
