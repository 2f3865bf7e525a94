#ifndef DSC_RUNTIME_PROGRAM_INDEXRANGE_H
#define DSC_RUNTIME_PROGRAM_INDEXRANGE_H

#include "runtime/program/Manifest.h"

#include <cstddef>
#include <span>

namespace dsc::runtime {

/// Checks that class labels, and numbers that select rows of a table, lie in
/// the range of the input, before a kernel indexes with them. The message
/// starts with `where` and names the sample, counted from `firstSample`, and
/// the value. Inputs that are neither pass.
Status checkIndices(const Manifest::Input &input,
                    std::span<const std::byte> values,
                    uint64_t elementsPerSample, const std::string &where,
                    uint64_t firstSample = 0);

/// What an index must be, for the end of a message: `classes are 0 to 9 (or
/// -100 for none)`, or the size of the table.
std::string labelRange(const Manifest::Input &input);
std::string tableRange(const Manifest::Input &input);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_INDEXRANGE_H
