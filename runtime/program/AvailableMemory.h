#ifndef DSC_RUNTIME_PROGRAM_AVAILABLEMEMORY_H
#define DSC_RUNTIME_PROGRAM_AVAILABLEMEMORY_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>

namespace dsc::runtime {

/// What may still be allocated, and who says so.
struct MemoryBound {
  uint64_t bytes = UINT64_MAX;
  std::string text; ///< Such as "this machine has 100 MiB available".
};

struct AvailableMemory {
  MemoryBound machine; ///< For all processes together: machine, control group.
  MemoryBound process; ///< For this one: its resource limits.
};

/// What the system can hand out without swapping, by its own estimate, and what
/// the limits of this process leave. The files are those of Linux, under
/// `root`.
AvailableMemory readAvailableMemory(const std::string &root = "");

/// "12 MiB", rounded down.
std::string mebibytes(uint64_t bytes);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_AVAILABLEMEMORY_H
