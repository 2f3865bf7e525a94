#include "runtime/data/Shuffle.h"

using namespace dsc::runtime;

namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

/// Sebastiano Vigna's SplitMix64: its output function, and its next output.
uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

uint64_t splitMix(uint64_t &state) { return mix(state += kGolden); }

} // namespace

Permutation::Permutation(uint64_t count, uint64_t seed, uint64_t epoch)
    : size(count) {
  while (halfBits < 32 && size > uint64_t(1) << (2 * halfBits))
    ++halfBits;
  uint64_t state = splitMix(seed) + epoch * kGolden;
  for (uint64_t &key : keys)
    key = splitMix(state);
}

uint64_t Permutation::encrypt(uint64_t number) const {
  uint64_t left = number >> halfBits;
  uint64_t right = number & ((uint64_t(1) << halfBits) - 1);
  for (uint64_t key : keys) {
    uint64_t next = left ^ (mix(right ^ key) >> (64 - halfBits));
    left = right;
    right = next;
  }
  return left << halfBits | right;
}

uint64_t Permutation::operator[](uint64_t index) const {
  do
    index = encrypt(index);
  while (index >= size);
  return index;
}
