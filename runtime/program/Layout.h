#ifndef DSC_RUNTIME_PROGRAM_LAYOUT_H
#define DSC_RUNTIME_PROGRAM_LAYOUT_H

#include "runtime/program/Manifest.h"

namespace dsc::runtime {

/// Where everything of one rank lies: dsrt_layout_compute on a manifest.
struct Layout {
  uint64_t totalBytes;
  uint64_t stateBytes, inputBytes; ///< Shares of the total; the rest is arena.
  std::vector<dsrt_layout_place> places;       ///< One for each state.
  std::vector<uint64_t> shardBytes;            ///< One for each group.
  std::vector<const Manifest::Input *> inputs; ///< Distinct ones, in order.
  std::vector<uint64_t> inputOffsets;          ///< One for each of `inputs`.
};

Result<Layout> computeLayout(const Manifest &manifest, uint32_t world,
                             uint32_t rank);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_LAYOUT_H
