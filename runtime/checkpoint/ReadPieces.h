#ifndef DSC_RUNTIME_CHECKPOINT_READPIECES_H
#define DSC_RUNTIME_CHECKPOINT_READPIECES_H

#include "runtime/data/CheckpointManifest.h"

#include <cstddef>
#include <span>

namespace dsc::runtime {

/// What must hold of the numbers of a tensor.
enum class NumberCheck { None, Finite, NotNegative };

/// Elements [begin, begin + memory) of a tensor and where they go.
struct Destination {
  const CheckpointManifest::Tensor *tensor;
  uint64_t begin;
  std::span<std::byte> memory;
  NumberCheck check;
  bool isReplicated = false; ///< Other ranks read the same.
};

/// Fills the destinations from the files of a set, with some threads. Reads
/// each piece that has any of a destination whole and checks its checksum and
/// numbers, and the headers of the files `rank`, `rank + ranks` and so on.
Status readPieces(const std::string &set, const CheckpointManifest &manifest,
                  const std::vector<Destination> &destinations, uint32_t rank,
                  uint32_t ranks, unsigned threads);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHECKPOINT_READPIECES_H
