#include "runtime/data/Shuffle.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <vector>

using namespace dsc::runtime;

namespace {

std::vector<uint64_t> orderOf(const Permutation &permutation) {
  std::vector<uint64_t> order;
  for (uint64_t i = 0; i < permutation.count(); ++i)
    order.push_back(permutation[i]);
  return order;
}

// The permutation is part of the interface: a run can be repeated elsewhere.
TEST(Shuffle, IsTheDocumentedPermutation) {
  // Computed by an independent Python program from the comment in Shuffle.h.
  EXPECT_EQ(orderOf({10, 7, 0}),
            (std::vector<uint64_t>{5, 3, 0, 7, 2, 6, 9, 8, 4, 1}));
  EXPECT_EQ(orderOf({10, 7, 1}),
            (std::vector<uint64_t>{0, 6, 2, 5, 3, 8, 4, 1, 9, 7}));
  std::vector<uint64_t> hundred = orderOf({100, 7, 3});
  hundred.resize(8);
  EXPECT_EQ(hundred, (std::vector<uint64_t>{32, 44, 49, 92, 2, 21, 54, 11}));
}

TEST(Shuffle, IsABijection) {
  std::vector<uint64_t> counts = {1000, 4095, 4096, 4097, 65536, 70000};
  for (uint64_t count = 0; count <= 300; ++count)
    counts.push_back(count);
  for (uint64_t count : counts)
    for (uint64_t epoch = 0; epoch < 3; ++epoch) {
      std::vector<uint64_t> order = orderOf({count, 42, epoch});
      std::sort(order.begin(), order.end());
      for (uint64_t i = 0; i < count; ++i)
        ASSERT_EQ(order[i], i) << count << " samples, epoch " << epoch;
    }
}

// Counts beyond 32 bits, and the largest there are: no two places of a stretch
// hold one sample, and all samples exist.
TEST(Shuffle, LargeCounts) {
  for (uint64_t count : {uint64_t(1000000007), uint64_t(1) << 32,
                         (uint64_t(1) << 40) + 1, UINT64_MAX}) {
    Permutation permutation(count, UINT64_MAX, 1);
    std::vector<uint64_t> some;
    for (uint64_t i = 0; i < 20000; ++i)
      some.push_back(permutation[count - 1 - i]);
    std::sort(some.begin(), some.end());
    EXPECT_LT(some.back(), count);
    EXPECT_EQ(std::adjacent_find(some.begin(), some.end()), some.end());
    // Spread over the whole range: each tenth has about a tenth of them.
    for (int tenth = 1; tenth < 10; ++tenth) {
      auto bound = std::lower_bound(some.begin(), some.end(),
                                    uint64_t(double(count) / 10 * tenth));
      EXPECT_NEAR(double(bound - some.begin()), 2000.0 * tenth, 400);
    }
  }
}

/// Pearson's statistic of counts that should all be `expected`, in standard
/// deviations of its distribution.
double excess(const std::map<std::vector<uint64_t>, int> &counts, size_t cells,
              double expected) {
  double sum = (cells - counts.size()) * expected;
  for (const auto &[cell, count] : counts)
    sum += (count - expected) * (count - expected) / expected;
  return (sum - cells) / std::sqrt(2.0 * cells);
}

// Over seeds and epochs, all orders of a few samples are equally likely; of
// more, all samples at each place, and all neighbours. Fixed seeds, so that the
// bound of 4 standard deviations always holds.
TEST(Shuffle, IsUniform) {
  size_t factorial = 1;
  for (uint64_t count = 2; count <= 6; ++count) {
    factorial *= count;
    std::map<std::vector<uint64_t>, int> orders;
    for (uint64_t seed = 0; seed < 6000; ++seed)
      for (uint64_t epoch = 0; epoch < 2; ++epoch)
        ++orders[orderOf({count, seed, epoch})];
    EXPECT_LT(excess(orders, factorial, 12000.0 / factorial), 4) << count;
  }
  for (uint64_t count : {7, 16, 17, 64, 65, 100}) {
    std::map<std::vector<uint64_t>, int> places, neighbours;
    for (uint64_t seed = 0; seed < 2000; ++seed)
      for (uint64_t epoch = 0; epoch < 2; ++epoch) {
        std::vector<uint64_t> order = orderOf({count, seed, epoch});
        for (uint64_t i = 0; i < count; ++i)
          ++places[{i, order[i]}];
        for (uint64_t i = 1; i < count; ++i)
          ++neighbours[{order[i - 1], order[i]}];
      }
    EXPECT_LT(excess(places, count * count, 4000.0 / count), 4) << count;
    EXPECT_LT(excess(neighbours, count * (count - 1), 4000.0 / count), 4)
        << count;
  }
}

} // namespace
