#ifndef DSC_RUNTIME_CHANNEL_SLICES_H
#define DSC_RUNTIME_CHANNEL_SLICES_H

#include <cstdint>
#include <span>

namespace dsc::runtime {

/// Sizes in bytes of slices that lie one after the other, one for each rank. A
/// list of sizes must stay where it is. Used by one thread at a time.
class Slices {
public:
  Slices(uint64_t each, uint32_t ranks) : each(each), ranks(ranks) {}
  explicit Slices(std::span<const uint64_t> sizes)
      : ranks(sizes.size()), sizes(sizes) {}

  uint64_t size(uint32_t rank) const {
    return sizes.empty() ? each : sizes[rank];
  }

  /// Where a rank's slice begins. Cheap where ranks are asked for in order.
  uint64_t offset(uint32_t rank) const {
    if (sizes.empty())
      return each * rank;
    if (rank < lastRank)
      lastRank = lastOffset = 0;
    for (; lastRank < rank; ++lastRank)
      lastOffset += sizes[lastRank];
    return lastOffset;
  }

  uint64_t total() const { return offset(ranks - 1) + size(ranks - 1); }
  bool areEqual() const { return sizes.empty(); }

private:
  uint64_t each = 0;
  uint32_t ranks;
  std::span<const uint64_t> sizes; ///< Empty: all are `each`.
  mutable uint32_t lastRank = 0;
  mutable uint64_t lastOffset = 0;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHANNEL_SLICES_H
