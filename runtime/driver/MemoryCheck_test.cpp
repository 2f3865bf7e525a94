#include "runtime/driver/MemoryCheck.h"

#include <gtest/gtest.h>

using namespace dsc::runtime;

namespace {

constexpr uint64_t kMebibyte = uint64_t(1) << 20;

/// A step region of 1 MiB, and four copies of 4 MiB: parameters, gradients and
/// two moments.
Manifest makeManifest(uint32_t stage) {
  constexpr uint64_t kElements = uint64_t(1) << 20;
  Manifest manifest;
  manifest.unit = 64;
  manifest.maxWorld = 16;
  manifest.arenaBytes = kMebibyte;
  manifest.groups = {{"g", ElementType::F32, {kElements, 4, stage}}};
  for (uint32_t stateClass : {DSRT_CLASS_PARAMETER, DSRT_CLASS_GRADIENT,
                              DSRT_CLASS_OPTIMIZER, DSRT_CLASS_OPTIMIZER}) {
    Manifest::State state;
    state.layout = {kElements, 4, stateClass, 0, 0, 0};
    manifest.states.push_back(state);
  }
  return manifest;
}

AvailableMemory available(uint64_t machine, uint64_t process = UINT64_MAX) {
  return {{machine, "this machine has little"},
          {process, "the limit of the process leaves little"}};
}

std::string check(uint32_t stage, uint32_t ranks, AvailableMemory memory,
                  std::vector<uint32_t> weights = {}, bool saves = false) {
  Manifest manifest = makeManifest(stage);
  Result<MemoryNeed> need = planMemory(manifest, ranks, weights, {saves, 0});
  EXPECT_TRUE(need.ok());
  EXPECT_EQ(need->bytesOf.size(), ranks);
  Status status = checkMemory(manifest, *need, memory);
  return status.ok() ? "" : status.message();
}

TEST(MemoryCheck, WhatFitsIsFine) {
  EXPECT_EQ(check(0, 1, available(17 * kMebibyte)), "");
  EXPECT_EQ(check(0, 4, available(68 * kMebibyte, 17 * kMebibyte)), "");
  // Stage 3 cuts all of it.
  EXPECT_EQ(check(3, 4, available(20 * kMebibyte, 5 * kMebibyte)), "");
}

TEST(MemoryCheck, RanksAddUp) {
  EXPECT_EQ(check(0, 4, available(68 * kMebibyte - 1)),
            "the run needs 17 MiB of memory on each of 4 ranks, and this "
            "machine has little; -n 3 fits; a module compiled with -zero=3 "
            "needs less");
  EXPECT_EQ(check(3, 4, available(20 * kMebibyte - 1)),
            "the run needs 5 MiB of memory on each of 4 ranks, and this "
            "machine has little; -n 3 fits");
}

TEST(MemoryCheck, MoreRanksHoldLessEach) {
  EXPECT_EQ(
      check(3, 3, available(UINT64_MAX, 4 * kMebibyte)),
      "the run needs 6 MiB of memory on each of 3 ranks, and the limit of "
      "the process leaves little; -n 6 fits");
}

TEST(MemoryCheck, NothingFits) {
  EXPECT_EQ(check(3, 1, available(kMebibyte)),
            "the run needs 17 MiB of memory, and this machine has little; "
            "compile with a smaller batch");
  EXPECT_EQ(check(0, 2, available(UINT64_MAX, kMebibyte)),
            "the run needs 17 MiB of memory on each of 2 ranks, and the limit "
            "of the process leaves little; compile with a smaller batch");
}

TEST(MemoryCheck, TheLargestOfUnequalShares) {
  EXPECT_EQ(check(3, 2, available(UINT64_MAX, 12 * kMebibyte), {3, 1}),
            "the run needs 13 MiB of memory on the largest of 2 ranks, and the "
            "limit of the process leaves little; -n 4 fits");
  EXPECT_EQ(check(3, 2, available(18 * kMebibyte, 13 * kMebibyte), {3, 1}), "");
}

// Parameters and moments, which are cut among ranks at every stage.
TEST(MemoryCheck, SnapshotsCount) {
  EXPECT_EQ(check(0, 2, available(46 * kMebibyte), {}, true), "");
  EXPECT_EQ(
      check(0, 2, available(46 * kMebibyte - 1), {}, true),
      "the run needs 23 MiB of memory on each of 2 ranks, and this "
      "machine has little; -n 1 fits; a module compiled with -zero=3 needs "
      "less");
}

TEST(MemoryCheck, OffloadedStatesAreInMemoryOrInFiles) {
  Manifest manifest = makeManifest(0);
  for (Manifest::State &state : manifest.states)
    state.layout.offloaded = state.layout.state_class == DSRT_CLASS_OPTIMIZER;
  BesideLayout inMemory, inFiles{.offloadsToFile = true};
  Result<MemoryNeed> need = planMemory(manifest, 2, {}, inMemory);
  ASSERT_TRUE(need.ok());
  EXPECT_EQ(need->bytesOf, std::vector<uint64_t>(2, 17 * kMebibyte));
  EXPECT_EQ(need->offloadedBytes, 2 * 8 * kMebibyte);
  EXPECT_NE(checkMemory(manifest, *need, available(30 * kMebibyte))
                .message()
                .find("; --offload-dir=DIR needs less"),
            std::string::npos);
  need = planMemory(manifest, 2, {}, inFiles);
  ASSERT_TRUE(need.ok());
  EXPECT_EQ(need->bytesOf, std::vector<uint64_t>(2, 9 * kMebibyte));
  EXPECT_TRUE(checkMemory(manifest, *need, available(30 * kMebibyte)).ok());
  EXPECT_TRUE(checkOffload("/", MemoryNeed{{}, 1, {}}).ok());
  EXPECT_NE(checkOffload("/", MemoryNeed{{}, UINT64_MAX, {}})
                .message()
                .find("name a folder on a larger disk"),
            std::string::npos);
}

TEST(MemoryCheck, SaysThatOffloadingWouldFit) {
  EXPECT_EQ(check(3, 1, available(10 * kMebibyte)),
            "the run needs 17 MiB of memory, and this machine has little; a "
            "module compiled with --offload-optimizer=all needs less, with "
            "--offload-dir=DIR");
}

} // namespace
