#include "runtime/program/ConvertFloats.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace dsc::runtime;

namespace {

float widenBfloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

float widenHalf(uint16_t bits) {
  int exponent = (bits >> 10) & 0x1f;
  int fraction = bits & 0x3ff;
  float magnitude;
  if (exponent == 0x1f)
    magnitude = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = std::ldexp(float(fraction), -24);
  else
    magnitude = std::ldexp(float(fraction | 0x400), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

template <typename From, typename To, typename Widen>
void convert(std::span<const std::byte> source, std::span<std::byte> target,
             Widen widen) {
  for (size_t i = 0; i < source.size() / sizeof(From); ++i) {
    From value;
    std::memcpy(&value, source.data() + i * sizeof(From), sizeof(From));
    To result = static_cast<To>(widen(value));
    std::memcpy(target.data() + i * sizeof(To), &result, sizeof(To));
  }
}

template <typename To>
bool convertTo(std::span<const std::byte> source, const std::string &from,
               std::span<std::byte> target) {
  if (from == "float32")
    convert<float, To>(source, target, [](float value) { return value; });
  else if (from == "float64")
    convert<double, To>(source, target, [](double value) { return value; });
  else if (from == "F16")
    convert<uint16_t, To>(source, target, widenHalf);
  else if (from == "BF16")
    convert<uint16_t, To>(source, target, widenBfloat);
  else
    return false;
  return true;
}

} // namespace

bool dsc::runtime::convertFloats(std::span<const std::byte> source,
                                 const std::string &from, ElementType to,
                                 std::span<std::byte> target) {
  if (to == ElementType::F32)
    return convertTo<float>(source, from, target);
  if (to == ElementType::F64)
    return convertTo<double>(source, from, target);
  return false;
}
