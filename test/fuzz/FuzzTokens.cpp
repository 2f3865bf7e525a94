// A file of tokens and its windows. The first bytes choose how it is cut.

#include "runtime/data/TokenWindows.h"
#include "test/fuzz/FuzzInput.h"

#include <algorithm>

using namespace dsc::fuzz;
using namespace dsc::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr size_t kChoices = 4;
  if (size < kChoices)
    return 0;
  const TokenType types[] = {TokenType::Text, TokenType::U16, TokenType::U32};
  WindowShape shape{data[1] % 16u + 1, data[2] % 16u + 1, bool(data[3] & 1),
                    bool(data[3] & 2)};
  shape.stride = std::min(shape.stride, shape.length);
  InputFile input(data + kChoices, size - kChoices);
  Result<TokenWindows> windows =
      TokenWindows::open({input.path()}, types[data[0] % 3], shape);
  requireSentence(windows.status());
  if (!windows.ok())
    return 0;
  require(windows->size() > 0);
  for (uint64_t i = 0; i < windows->size(); ++i) {
    auto [file, first] = (*windows)[i];
    uint64_t wanted = shape.length + shape.followed;
    require(first < file->size());
    require(shape.takesShort || first + wanted <= file->size());
    uint32_t tokens[17];
    uint64_t count = std::min(wanted, file->size() - first);
    require(file->read(first, std::span(tokens).first(count)).ok());
  }
  return 0;
}
