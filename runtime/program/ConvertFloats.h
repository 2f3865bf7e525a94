#ifndef DSC_RUNTIME_PROGRAM_CONVERTFLOATS_H
#define DSC_RUNTIME_PROGRAM_CONVERTFLOATS_H

#include "runtime/base/ElementType.h"

#include <cstddef>
#include <span>
#include <string>

namespace dsc::runtime {

/// Converts an array of floating-point numbers to f32 or f64, rounding to
/// nearest. `from` is a type as an Array names it: float32, float64, or a dtype
/// of safetensors (F16, BF16). False if either type is none of these.
bool convertFloats(std::span<const std::byte> source, const std::string &from,
                   ElementType to, std::span<std::byte> target);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_CONVERTFLOATS_H
