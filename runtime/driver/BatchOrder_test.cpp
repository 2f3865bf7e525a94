#include "runtime/driver/BatchOrder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace dsc::runtime;

namespace {

/// Trains one epoch from `begin` on with K micro-batches an update, or until
/// `updates` of them are made; counts how often each sample is taken.
DataPosition runEpoch(const BatchOrder &order, const DataPosition &begin,
                      uint64_t microBatches, uint64_t updates,
                      std::vector<int> &taken) {
  DataPosition at = begin;
  while (updates-- && order.next(at).epoch == begin.epoch) {
    uint64_t rounds = std::min(microBatches, order.roundsLeft(at));
    EXPECT_GT(rounds, 0u); // An update without data would never end.
    for (uint64_t i = 0; i < rounds; ++i) {
      uint64_t inRound = 0;
      for (uint64_t rank = 0; rank < order.ranks; ++rank) {
        auto [first, count] = order.slice(at, rank);
        EXPECT_LE(count, order.batch);
        inRound += count != 0;
        for (uint64_t sample = first; sample < first + count; ++sample)
          ++taken.at(sample);
      }
      DataPosition next = order.after(at);
      EXPECT_EQ(next.microBatches - at.microBatches, inRound);
      at = next;
    }
  }
  return at;
}

// Each sample belongs to one rank, once an epoch, at any N and K; what is left
// out without padding is less than a micro-batch for each rank.
TEST(BatchOrder, EachSampleOnceAnEpoch) {
  for (bool canPad : {true, false})
    for (uint64_t samples = 1; samples <= 40; ++samples)
      for (uint64_t batch : {1, 2, 3, 8, 64})
        for (uint64_t ranks : {1, 2, 3, 4, 8})
          for (uint64_t microBatches : {1, 2, 3, 5, 100}) {
            BatchOrder order{samples, batch, ranks, canPad};
            std::vector<int> taken(samples);
            DataPosition end =
                runEpoch(order, {}, microBatches, UINT64_MAX, taken);
            uint64_t whole = samples / (batch * ranks) * batch * ranks;
            EXPECT_EQ(end.samples, canPad ? samples : whole);
            for (uint64_t i = 0; i < samples; ++i)
              ASSERT_EQ(taken[i], canPad || i < whole)
                  << "sample " << i << " of " << samples << ", batch " << batch
                  << ", " << ranks << " ranks, K = " << microBatches;
          }
}

// From any position, at any other N and K, the epoch goes on with the next
// sample.
TEST(BatchOrder, GoesOnAtOtherRanks) {
  const uint64_t samples = 37;
  for (uint64_t updates = 0; updates < 8; ++updates)
    for (uint64_t ranks : {1, 2, 3, 4})
      for (uint64_t otherRanks : {1, 2, 3, 4, 8}) {
        std::vector<int> taken(samples);
        DataPosition at =
            runEpoch({samples, 3, ranks, true}, {}, 2, updates, taken);
        for (uint64_t i = 0; i < samples; ++i)
          ASSERT_EQ(taken[i], i < at.samples);
        DataPosition end =
            runEpoch({samples, 5, otherRanks, true}, at, 3, UINT64_MAX, taken);
        EXPECT_EQ(end.samples, samples);
        EXPECT_EQ(taken, std::vector<int>(samples, 1));
      }
}

TEST(BatchOrder, NextEpoch) {
  BatchOrder order{10, 4, 2, true};
  DataPosition end = order.after(order.after({3, 0, 7}));
  EXPECT_EQ(end, (DataPosition{3, 10, 7 + 2 + 1})); // A rank had no sample.
  EXPECT_EQ(order.next(end), (DataPosition{4, 0, 10}));
  EXPECT_EQ(order.next({3, 9, 7}), (DataPosition{3, 9, 7}));
  EXPECT_EQ(order.roundsLeft({3, 9, 7}), 1u);
  order.canPad = false;
  EXPECT_EQ(order.next({3, 8, 7}), (DataPosition{4, 0, 7}));
}

// 70 TB of tokens are more windows than 32 bits count.
TEST(BatchOrder, LargeCounts) {
  BatchOrder order{(uint64_t(1) << 40) + 3, 64, 1024, true};
  DataPosition at{0, uint64_t(1) << 40, uint64_t(1) << 34};
  EXPECT_EQ(order.roundsLeft({}), (uint64_t(1) << 24) + 1);
  EXPECT_EQ(order.slice(at, 0).count, 3u);
  EXPECT_EQ(order.slice(at, 1).count, 0u);
  EXPECT_EQ(order.after(at).samples, order.samples);
}

} // namespace
