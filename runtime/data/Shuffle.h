#ifndef DSC_RUNTIME_DATA_SHUFFLE_H
#define DSC_RUNTIME_DATA_SHUFFLE_H

#include <cstdint>
#include <span>

namespace dsc::runtime {

/// The order of the samples in one epoch, as a function of seed and epoch
/// alone.
///
/// Fisher-Yates from the end: for i = n-1 down to 1, entries i and j change
/// places, where j = floor(r * (i + 1) / 2^64) and r is the next output of
/// SplitMix64. Its state starts at the first SplitMix64 output of `seed`, plus
/// `epoch` (from 0) times 0x9e3779b97f4a7c15.
void shuffle(std::span<uint64_t> order, uint64_t seed, uint64_t epoch);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_SHUFFLE_H
