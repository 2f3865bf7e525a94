#ifndef DSC_RUNTIME_DATA_SHUFFLE_H
#define DSC_RUNTIME_DATA_SHUFFLE_H

#include <array>
#include <cstdint>

namespace dsc::runtime {

/// The order of the samples in one epoch, as a function of seed and epoch
/// alone, in constant memory: any place of any order is computed when it is
/// asked for.
///
/// A Feistel network (Luby and Rackoff, "How to construct pseudorandom
/// permutations", 1988) of 8 rounds over the numbers of 2h bits, where h is the
/// least from 3 on (below, the orders of a few samples are not equally likely)
/// with 4^h >= count. A number outside [0, count) is put in again until one
/// inside comes out, which keeps it a permutation (Black and Rogaway, "Ciphers
/// with arbitrary finite domains", 2002): above 16 samples less than 4 times on
/// average. In a round, (left, right) becomes (right, left ^ f), where f is the
/// upper h bits of mix(right ^ key) and mix is the output function of Vigna's
/// SplitMix64. The keys are the outputs of SplitMix64 whose state starts at its
/// first output for `seed`, plus `epoch` (from 0) times 0x9e3779b97f4a7c15.
class Permutation {
public:
  Permutation(uint64_t count, uint64_t seed, uint64_t epoch);

  uint64_t count() const { return size; }

  /// What stands at `index`, below count().
  uint64_t operator[](uint64_t index) const;

private:
  uint64_t encrypt(uint64_t number) const;

  uint64_t size;
  unsigned halfBits = 3;
  std::array<uint64_t, 8> keys;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_SHUFFLE_H
