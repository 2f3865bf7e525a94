#ifndef DSC_RUNTIME_PROGRAM_LAYOUT_H
#define DSC_RUNTIME_PROGRAM_LAYOUT_H

#include "runtime/program/Manifest.h"

#include <span>

namespace dsc::runtime {

/// Elements [begin, begin + elements) of a tensor, in its logical order.
struct ElementRange {
  uint64_t begin, elements;
  bool operator==(const ElementRange &) const = default;
};

/// Where everything of one rank lies: dsrt_layout_compute on a manifest.
struct Layout {
  uint32_t world, rank;
  uint64_t totalBytes;
  uint64_t stateBytes, inputBytes; ///< Shares of the total; the rest is arena.
  /// Behind the total, in the same range of addresses.
  uint64_t offloadOffset, offloadBytes;
  uint64_t snapshotBytes; ///< Beside the total, to save in the background.
  std::vector<dsrt_layout_place> places;       ///< One for each state.
  std::vector<const Manifest::Input *> inputs; ///< Distinct ones, in order.
  std::vector<uint64_t> inputOffsets;          ///< One for each of `inputs`.
  std::vector<dsrt_layout_state> states;       ///< The table's rows.
  std::vector<uint64_t> bounds; ///< As dsrt_layout.h has them, of all groups.

  /// The world + 1 elements of a group's flat space between which ranges lie.
  std::span<const uint64_t> boundsOf(uint32_t group) const {
    return std::span(bounds).subspan(group * (uint64_t(world) + 1), world + 1);
  }

  /// What the range of any rank has of a state. The ranges of all ranks follow
  /// one another, and some may be empty. A state without a group is no rank's
  /// more than another's: each has all of it.
  ElementRange rangeOf(uint32_t state, uint32_t rank) const;
};

/// The layout of rank `rank` of `world`. `weights` has the share of each rank;
/// empty: equal ones.
Result<Layout> computeLayout(const Manifest &manifest, uint32_t world,
                             uint32_t rank,
                             std::span<const uint32_t> weights = {});

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_LAYOUT_H
