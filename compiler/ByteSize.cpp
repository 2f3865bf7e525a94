#include "compiler/ByteSize.h"

#include <cmath>

using namespace llvm;

std::optional<uint64_t> dsc::parseByteSize(StringRef text) {
  std::string lower = text.lower();
  StringRef number = lower;
  StringRef digits = number.take_while(
      [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  StringRef unit = number.drop_front(digits.size());
  double factor = 1;
  if (!unit.empty() && unit != "b") {
    size_t power = StringRef("kmgt").find(unit.front());
    StringRef rest = unit.drop_front();
    if (power == StringRef::npos ||
        !(rest.empty() || rest == "b" || rest == "ib"))
      return std::nullopt;
    factor = std::pow(rest == "ib" ? 1024.0 : 1000.0, double(power + 1));
  }
  // Exactly, where there is nothing to multiply.
  uint64_t whole = 0;
  if (factor == 1 && !digits.getAsInteger(10, whole))
    return whole <= uint64_t(INT64_MAX) ? std::optional(whole) : std::nullopt;
  double value = 0;
  if (digits.empty() || digits.getAsDouble(value) ||
      !(value * factor < double(INT64_MAX)))
    return std::nullopt;
  return uint64_t(value * factor);
}
