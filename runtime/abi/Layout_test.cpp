#include "runtime/abi/dsrt.h"
#include "runtime/abi/dsrt_layout.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <utility>
#include <vector>

namespace {

constexpr uint32_t kUnit = 64;

/// A group with segments of these sizes (each start aligned to 32 elements), as
/// parameters, gradients and two moments, and one scalar.
struct Model {
  explicit Model(uint32_t stage, std::vector<uint64_t> sizes) {
    uint64_t end = 0;
    std::vector<uint64_t> offsets;
    for (uint64_t size : sizes) {
      offsets.push_back((end + 31) / 32 * 32);
      end = offsets.back() + size;
    }
    group = {end, 4, stage};
    for (uint32_t state_class : {DSRT_CLASS_PARAMETER, DSRT_CLASS_GRADIENT,
                                 DSRT_CLASS_OPTIMIZER, DSRT_CLASS_OPTIMIZER})
      for (size_t i = 0; i < sizes.size(); ++i)
        states.push_back({sizes[i], 4, state_class, 0, offsets[i], 0});
    states.push_back({1, 8, DSRT_CLASS_SCALAR, -1, 0, 0});
  }

  int compute(uint32_t world, uint32_t rank) {
    places.assign(states.size(), {});
    bounds.assign(world + 1, 0);
    inputs.assign(inputBytes.size(), 0);
    dsrt_layout_table table{&group,
                            states.data(),
                            inputBytes.data(),
                            1,
                            uint32_t(states.size()),
                            uint32_t(inputBytes.size()),
                            kUnit,
                            arenaBytes};
    layout.places = places.data();
    layout.input_offsets = inputs.data();
    layout.bounds = bounds.data();
    return dsrt_layout_compute(&table, world,
                               weights.empty() ? nullptr : weights.data(), rank,
                               &layout);
  }

  /// Whether the states of this class are cut among ranks.
  bool sharded(uint32_t stateClass) const {
    return (stateClass == DSRT_CLASS_PARAMETER && group.stage >= 3) ||
           (stateClass == DSRT_CLASS_GRADIENT && group.stage >= 2) ||
           (stateClass == DSRT_CLASS_OPTIMIZER && group.stage >= 1);
  }

  dsrt_layout_group group;
  std::vector<dsrt_layout_state> states;
  std::vector<uint64_t> inputBytes = {100, 4096};
  uint64_t arenaBytes = 1000;
  std::vector<dsrt_layout_place> places;
  std::vector<uint64_t> inputs, bounds;
  std::vector<uint32_t> weights; ///< Empty: equal shares.
  dsrt_layout layout;
};

TEST(Layout, EqualRangesAreWholeUnitsWithLessThanAUnitOfPaddingARank) {
  std::vector<uint64_t> sizes(1001);
  std::iota(sizes.begin(), sizes.end(), 0);
  sizes.push_back(401920);
  std::vector<uint64_t> bounds;
  for (uint64_t elements : sizes)
    for (uint32_t world : {1, 2, 3, 4, 7, 8, 64, 1000, 1024}) {
      dsrt_layout_group group{elements, 4, 3};
      bounds.assign(world + 1, 0);
      ASSERT_EQ(dsrt_layout_cut(&group, world, kUnit, nullptr, bounds.data()),
                0);
      for (uint32_t rank = 0; rank < world; ++rank)
        ASSERT_EQ(bounds[rank + 1], bounds[1] * (rank + 1));
      ASSERT_EQ(bounds[1] % kUnit, 0u);
      ASSERT_GE(bounds[world], elements);
      ASSERT_LT(bounds[world] - elements, uint64_t(kUnit) * world);
    }
}

/// The units that each rank gets, worked out in another way: one after another
/// to whoever is farthest below its share, once each has the whole part of it.
std::vector<uint64_t> shareUnits(uint64_t units,
                                 const std::vector<uint32_t> &weights) {
  uint64_t total = std::accumulate(weights.begin(), weights.end(), uint64_t(0));
  std::vector<uint64_t> shares, order(weights.size());
  for (uint32_t weight : weights)
    shares.push_back(units * weight / total);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
    uint64_t restA = units * weights[a] % total;
    uint64_t restB = units * weights[b] % total;
    return restA != restB ? restA > restB : a < b;
  });
  uint64_t left =
      units - std::accumulate(shares.begin(), shares.end(), uint64_t(0));
  for (uint64_t i = 0; i < left; ++i)
    ++shares[order[i]];
  return shares;
}

TEST(Layout, WeightsShareUnitsByLargestRemainders) {
  std::vector<std::vector<uint32_t>> lists = {{1},
                                              {3, 1, 1},
                                              {1, 1, 1, 1},
                                              {0, 1},
                                              {1, 0, 0, 5},
                                              {7, 7, 7, 1},
                                              {1, 1000000, 3, 2},
                                              {5, 3, 1, 0, 0, 2, 4},
                                              {0, 0, 1, 1},
                                              {2, 3, 5, 7, 11, 13}};
  std::vector<uint32_t> many;
  for (uint32_t i = 0; i < 1024; ++i)
    many.push_back(i % 7 * (i % 3));
  lists.push_back(many);
  for (const std::vector<uint32_t> &weights : lists)
    for (uint64_t elements = 0; elements <= 3000; elements += 29) {
      dsrt_layout_group group{elements, 4, 3};
      std::vector<uint64_t> bounds(weights.size() + 1);
      ASSERT_EQ(dsrt_layout_cut(&group, weights.size(), kUnit, weights.data(),
                                bounds.data()),
                DSRT_LAYOUT_OK);
      std::vector<uint64_t> shares =
          shareUnits((elements + kUnit - 1) / kUnit, weights);
      EXPECT_EQ(bounds[0], 0u);
      for (size_t rank = 0; rank < weights.size(); ++rank) {
        ASSERT_EQ(bounds[rank + 1] - bounds[rank], shares[rank] * kUnit);
        if (weights[rank] == 0)
          ASSERT_EQ(shares[rank], 0u);
      }
      ASSERT_LT(bounds.back() - elements, kUnit);
    }
}

TEST(Layout, WeightsOfAnySizeGiveAllUnits) {
  std::vector<uint32_t> weights(1024, UINT32_MAX);
  weights[3] = 1;
  dsrt_layout_group group{UINT64_MAX / 4, 4, 3};
  std::vector<uint64_t> bounds(weights.size() + 1);
  ASSERT_EQ(dsrt_layout_cut(&group, weights.size(), kUnit, weights.data(),
                            bounds.data()),
            DSRT_LAYOUT_OK);
  EXPECT_GE(bounds.back(), group.elements);
  EXPECT_LT(bounds.back() - group.elements, kUnit);
  EXPECT_EQ(bounds[3 + 1] - bounds[3],
            (UINT64_MAX / 4 / kUnit / (1023 * uint64_t(UINT32_MAX))) * kUnit);
}

// The ranks' shares of a small group may be out of line with those of a large
// one, and staging serves both.
TEST(Layout, StagingHoldsTheLargestRangeOfAnyGroupThatItServes) {
  std::vector<uint32_t> weights = {6, 6, 2};
  // Ten units: 4, 4, 2. Eleven: 5, 5, 1 (the Alabama paradox).
  dsrt_layout_group groups[] = {{11 * kUnit, 4, 3}, {10 * kUnit, 4, 3}};
  dsrt_layout_state state{11 * kUnit, 4, DSRT_CLASS_STAGING, 0, 0, 0};
  dsrt_layout_table table{groups, &state, nullptr, 2, 1, 0, kUnit, 0};
  dsrt_layout_place place;
  uint64_t bounds[8];
  dsrt_layout layout{};
  layout.places = &place;
  layout.bounds = bounds;
  ASSERT_EQ(dsrt_layout_compute(&table, 3, weights.data(), 2, &layout),
            DSRT_LAYOUT_OK);
  EXPECT_EQ(bounds[3] - bounds[2], 1 * kUnit);
  EXPECT_EQ(bounds[7] - bounds[6], 2 * kUnit);
  EXPECT_EQ(place.buffer_bytes, 3 * 2 * kUnit * 4);
}

TEST(Layout, RefusesWeightsThatAreAllZero) {
  Model model(3, {500});
  model.weights = {0, 0};
  EXPECT_EQ(model.compute(2, 0), DSRT_LAYOUT_INVALID);
}

// Over all ranks, the parts of a tensor are its elements, once each, in order.
TEST(Layout, PartsCutEachTensorExactly) {
  const std::vector<std::vector<uint32_t>> lists = {
      {}, {3}, {0, 1}, {3, 1, 1}, {1, 0, 0, 9, 0, 2, 1}};
  for (uint32_t stage : {0, 1, 2, 3})
    for (uint32_t world : {1, 2, 3, 7})
      for (const std::vector<uint32_t> &weights : lists) {
        if (!weights.empty() && weights.size() != world)
          continue;
        Model model(stage, {500, 1, 0, 77, 4096, 0, 0});
        model.weights = weights;
        std::vector<uint64_t> next(model.states.size(), 0);
        for (uint32_t rank = 0; rank < world; ++rank) {
          ASSERT_EQ(model.compute(world, rank), DSRT_LAYOUT_OK);
          for (size_t i = 0; i < model.states.size(); ++i) {
            const dsrt_layout_place &place = model.places[i];
            if (model.states[i].group < 0 || place.part_elements == 0)
              continue;
            EXPECT_EQ(place.part_begin, next[i]);
            next[i] += place.part_elements;
          }
        }
        for (size_t i = 0; i < model.states.size(); ++i)
          if (model.states[i].group >= 0)
            EXPECT_EQ(next[i], model.states[i].elements);
      }
}

// What a rank holds never overlaps, stays inside of the block, and starts
// aligned; a whole tensor and its part agree.
TEST(Layout, PlacesAreDisjointAndAligned) {
  for (uint32_t stage : {0, 1, 2, 3})
    for (uint32_t world : {1, 2, 5, 6})
      for (uint32_t rank = 0; rank < world; ++rank) {
        Model model(stage, {500, 1, 0, 0, 77, 4096});
        if (world == 6)
          model.weights = {0, 4, 1, 1, 0, 100};
        ASSERT_EQ(model.compute(world, rank), DSRT_LAYOUT_OK);
        std::vector<std::pair<uint64_t, uint64_t>> ranges = {
            {0, model.arenaBytes}};
        for (size_t i = 0; i < model.states.size(); ++i) {
          const dsrt_layout_state &state = model.states[i];
          const dsrt_layout_place &place = model.places[i];
          bool whole = !model.sharded(state.state_class);
          EXPECT_EQ(place.tensor_offset == DSRT_LAYOUT_NOT_WHOLE, !whole);
          EXPECT_EQ(place.buffer % DSRT_ALIGNMENT, 0u);
          uint64_t bytes = state.element_bytes;
          if (whole) {
            EXPECT_EQ(place.tensor_offset % DSRT_ALIGNMENT, 0u);
            ranges.push_back({place.tensor_offset,
                              place.tensor_offset + state.elements * bytes});
            if (place.part_elements) {
              EXPECT_EQ(place.part_offset,
                        place.tensor_offset + place.part_begin * bytes);
            }
          } else {
            ranges.push_back({place.part_offset,
                              place.part_offset + place.part_elements * bytes});
          }
        }
        for (size_t i = 0; i < model.inputs.size(); ++i)
          ranges.push_back(
              {model.inputs[i], model.inputs[i] + model.inputBytes[i]});
        std::sort(ranges.begin(), ranges.end());
        for (size_t i = 1; i < ranges.size(); ++i)
          EXPECT_GE(ranges[i].first, ranges[i - 1].second);
        EXPECT_LE(ranges.back().second, model.layout.total_bytes);
      }
}

// A collective sends the range: all states of one copy share it.
TEST(Layout, RangesBelongToCopies) {
  Model model(3, {500, 1, 77});
  ASSERT_EQ(model.compute(2, 1), DSRT_LAYOUT_OK);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(model.places[i].range_offset, model.places[0].range_offset);
    EXPECT_EQ(model.places[i].range_elements, 320u); // 64 * ceil(621 / 128)
  }
  // Two moments are two copies.
  EXPECT_EQ(model.places[6].copy, 0u);
  EXPECT_EQ(model.places[9].copy, 1u);
  EXPECT_NE(model.places[6].buffer, model.places[9].buffer);
}

TEST(Layout, StagingIsWholeAtEachStage) {
  Model model(3, {500});
  model.states.push_back({500, 4, DSRT_CLASS_STAGING, 0, 0, 0});
  ASSERT_EQ(model.compute(4, 2), DSRT_LAYOUT_OK);
  const dsrt_layout_place &place = model.places.back();
  EXPECT_EQ(place.tensor_offset, place.buffer);
  EXPECT_EQ(place.range_elements, 4 * 128u); // a range from each rank
  EXPECT_EQ(place.buffer_bytes, place.range_elements * 4);
}

// Parameters and two moments once over all ranks, and the scalar once.
TEST(Layout, SnapshotsOfAllRanksAreTheStateOnce) {
  for (uint32_t stage : {0, 1, 2, 3})
    for (uint32_t world : {1, 2, 3, 8}) {
      Model model(stage, {500, 1, 0, 77, 4096});
      if (world == 3)
        model.weights = {5, 0, 1};
      uint64_t bytes = 0;
      for (uint32_t rank = 0; rank < world; ++rank) {
        ASSERT_EQ(model.compute(world, rank), DSRT_LAYOUT_OK);
        bytes += model.layout.snapshot_bytes;
      }
      EXPECT_EQ(bytes, 3 * (500 + 1 + 77 + 4096) * 4 + 8u);
    }
}

TEST(Layout, RefusesWhatDoesNotFit) {
  Model huge(0, {500});
  huge.group.elements = huge.states[0].elements = UINT64_MAX / 2;
  EXPECT_EQ(huge.compute(1, 0), DSRT_LAYOUT_OVERFLOW);

  Model manyRanks(0, {500});
  manyRanks.group.elements = UINT64_MAX - 1;
  EXPECT_EQ(manyRanks.compute(1024, 0), DSRT_LAYOUT_OVERFLOW);

  Model largeArena(0, {500});
  largeArena.arenaBytes = UINT64_MAX;
  EXPECT_EQ(largeArena.compute(1, 0), DSRT_LAYOUT_OVERFLOW);

  Model outside(0, {500});
  outside.states[0].group_offset = 1;
  EXPECT_EQ(outside.compute(1, 0), DSRT_LAYOUT_INVALID);

  Model noGroup(0, {500});
  noGroup.states[0].group = 1;
  EXPECT_EQ(noGroup.compute(1, 0), DSRT_LAYOUT_INVALID);

  Model rank(0, {500});
  EXPECT_EQ(rank.compute(2, 2), DSRT_LAYOUT_INVALID);
}

// What is offloaded lies behind the rest, which lies where it would without.
TEST(Layout, OffloadedStatesLieBehindTheBlock) {
  for (uint32_t stage : {0, 1, 2, 3})
    for (std::vector<uint32_t> weights :
         {std::vector<uint32_t>{}, {0, 3, 1}, {1, 0, 0}}) {
      Model kept(stage, {500, 3, 129, 1}), offloaded = kept;
      kept.weights = offloaded.weights = weights;
      std::vector<dsrt_layout_state> inMemory;
      for (dsrt_layout_state &state : offloaded.states) {
        state.offloaded = state.state_class == DSRT_CLASS_OPTIMIZER;
        if (!state.offloaded)
          inMemory.push_back(state);
      }
      Model without = kept;
      without.states = inMemory;
      for (uint32_t rank = 0; rank < 3; ++rank) {
        ASSERT_EQ(kept.compute(3, rank), DSRT_LAYOUT_OK);
        ASSERT_EQ(offloaded.compute(3, rank), DSRT_LAYOUT_OK);
        ASSERT_EQ(without.compute(3, rank), DSRT_LAYOUT_OK);
        const dsrt_layout &layout = offloaded.layout;
        EXPECT_EQ(kept.layout.offload_bytes, 0u);
        EXPECT_EQ(kept.layout.offload_offset, kept.layout.total_bytes);
        EXPECT_EQ(layout.total_bytes, without.layout.total_bytes);
        EXPECT_EQ(layout.offload_bytes,
                  kept.layout.total_bytes - layout.total_bytes);
        EXPECT_EQ(layout.offload_offset % DSRT_LAYOUT_OFFLOAD_ALIGNMENT, 0u);
        EXPECT_GE(layout.offload_offset, layout.total_bytes);
        EXPECT_EQ(layout.snapshot_bytes, kept.layout.snapshot_bytes);
        for (size_t i = 0; i < kept.states.size(); ++i) {
          const dsrt_layout_place &place = offloaded.places[i];
          const dsrt_layout_place &other = kept.places[i];
          EXPECT_EQ(place.part_begin, other.part_begin);
          EXPECT_EQ(place.part_elements, other.part_elements);
          EXPECT_EQ(place.buffer_bytes, other.buffer_bytes);
          EXPECT_EQ(place.copy, other.copy);
          EXPECT_EQ(place.part_offset - place.buffer,
                    other.part_offset - other.buffer);
          if (offloaded.states[i].offloaded) {
            EXPECT_GE(place.buffer, layout.offload_offset);
            EXPECT_LE(place.buffer + place.buffer_bytes,
                      layout.offload_offset + layout.offload_bytes);
          } else {
            EXPECT_LE(place.buffer + place.buffer_bytes, layout.total_bytes);
          }
        }
      }
    }
}

TEST(Layout, OffloadedIsYesOrNo) {
  Model model(1, {64});
  model.states[2].offloaded = 2;
  EXPECT_EQ(model.compute(1, 0), DSRT_LAYOUT_INVALID);
}

TEST(Layout, WhatIsOffloadedMayOverflow) {
  Model model(0, {64});
  model.states.push_back(
      {UINT64_MAX / 8, 8, DSRT_CLASS_OPTIMIZER, -1, 0, /*offloaded=*/1});
  EXPECT_EQ(model.compute(1, 0), DSRT_LAYOUT_OVERFLOW);
}

} // namespace
