#ifndef DSC_RUNTIME_DRIVER_MEMORYCHECK_H
#define DSC_RUNTIME_DRIVER_MEMORYCHECK_H

#include "runtime/program/AvailableMemory.h"
#include "runtime/program/Layout.h"

namespace dsc::runtime {

/// What a rank allocates beside its layout.
struct BesideLayout {
  bool saves = false;          ///< Snapshots of its part of the state.
  uint64_t readAhead = 0;      ///< Bytes of the batch that is read ahead.
  bool offloadsToFile = false; ///< Else offloaded states are in memory.
};

/// What each rank of a run will allocate.
struct MemoryNeed {
  std::vector<uint64_t> bytesOf;
  uint64_t offloadedBytes = 0; ///< By all ranks, in memory or in files.
  BesideLayout beside;         ///< Counted in these.
};

/// What all ranks need.
Result<MemoryNeed> planMemory(const Manifest &manifest, uint32_t ranks,
                              std::span<const uint32_t> weights,
                              BesideLayout beside);

/// Whether the ranks find their memory on this machine. The error says what is
/// needed, what there is, and which number of ranks or which ZeRO stage needs
/// less.
Status checkMemory(const Manifest &manifest, const MemoryNeed &need,
                   const AvailableMemory &available = readAvailableMemory());

/// Whether what all ranks offload fits in `folder`; an error as well if the
/// module offloads nothing.
Status checkOffload(const std::string &folder, const MemoryNeed &need);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_MEMORYCHECK_H
