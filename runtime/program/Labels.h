#ifndef DSC_RUNTIME_PROGRAM_LABELS_H
#define DSC_RUNTIME_PROGRAM_LABELS_H

#include "runtime/program/Manifest.h"

#include <cstddef>
#include <span>

namespace dsc::runtime {

/// Checks that class labels lie in the range of the input, before a kernel
/// indexes with them. The message starts with `where` and names the sample and
/// the value. Inputs without classes pass.
Status checkLabels(const Manifest::Input &input,
                   std::span<const std::byte> labels,
                   uint64_t elementsPerSample, const std::string &where);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_LABELS_H
