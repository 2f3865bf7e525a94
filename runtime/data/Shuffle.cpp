#include "runtime/data/Shuffle.h"

#include <numeric>
#include <utility>

namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

/// Sebastiano Vigna's SplitMix64.
uint64_t splitMix(uint64_t &state) {
  uint64_t value = state += kGolden;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

} // namespace

void dsc::runtime::shuffle(std::span<uint64_t> order, uint64_t seed,
                           uint64_t epoch) {
  std::iota(order.begin(), order.end(), uint64_t(0));
  uint64_t state = splitMix(seed) + epoch * kGolden;
  for (uint64_t i = order.size(); i-- > 1;) {
    // The high half of the 128-bit product: no division, no visible bias.
    auto product = static_cast<unsigned __int128>(splitMix(state)) * (i + 1);
    std::swap(order[i], order[static_cast<uint64_t>(product >> 64)]);
  }
}
