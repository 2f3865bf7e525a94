#include "passes/analysis/MemoryPlan.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

using namespace dsc;

namespace {

struct Spec {
  int64_t bytes;
  int64_t alignment;
  std::vector<Point> accesses;
};

/// All accesses of the one before all accesses of the other, from the relation
/// itself.
bool maySharePlace(const Spec &a, const Spec &b) {
  auto before = [](const Spec &first, const Spec &second) {
    for (const Point &p : first.accesses)
      for (const Point &q : second.accesses)
        if (!p.isBefore(q))
          return false;
    return true;
  };
  return before(a, b) || before(b, a);
}

struct Planned {
  std::vector<int64_t> offsets;
  int64_t peak, bound;
};

Planned plan(const std::vector<Spec> &specs) {
  MemoryPlan plan;
  std::vector<std::pair<Point, MemoryPlan::Buffer>> accesses;
  for (const Spec &spec : specs) {
    auto buffer = plan.addBuffer(spec.bytes, spec.alignment);
    for (const Point &point : spec.accesses)
      accesses.push_back({point, buffer});
  }
  // An op knows more than those that happen before it: an order of issue.
  llvm::sort(accesses, [](const auto &a, const auto &b) {
    auto key = [](const Point &point) {
      return std::tuple(
          std::accumulate(point.clock.begin(), point.clock.end(), uint64_t(0)),
          point.stream);
    };
    return key(a.first) < key(b.first);
  });
  for (auto [point, buffer] : accesses)
    plan.addAccess(buffer, point);
  plan.compute();
  Planned planned{{}, plan.getPeak(), plan.getLowerBound()};
  for (unsigned i = 0; i < specs.size(); ++i)
    planned.offsets.push_back(plan.getOffset(i));
  return planned;
}

/// Least peak over all orders of lowest-fit placing, which is the least peak of
/// all (unaligned) placings.
int64_t bestPeak(const std::vector<Spec> &specs) {
  std::vector<unsigned> order(specs.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t best = INT64_MAX;
  do {
    std::vector<int64_t> offsets(specs.size(), -1);
    int64_t peak = 0;
    for (unsigned i : order) {
      int64_t offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (unsigned j = 0; j < specs.size(); ++j)
          if (offsets[j] >= 0 && !maySharePlace(specs[i], specs[j]) &&
              offset < offsets[j] + specs[j].bytes &&
              offsets[j] < offset + specs[i].bytes) {
            offset = offsets[j] + specs[j].bytes;
            moved = true;
          }
      }
      offsets[i] = offset;
      peak = std::max(peak, offset + specs[i].bytes);
    }
    best = std::min(best, peak);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

std::vector<Spec> randomSpecs(std::mt19937 &random, unsigned count,
                              unsigned ops, int64_t alignment) {
  HappensBefore order;
  std::vector<Spec> specs(count);
  for (Spec &spec : specs) {
    spec.bytes = 1 + random() % 16;
    spec.alignment = alignment;
  }
  int64_t event = 0;
  for (unsigned op = 0; op < ops; ++op) {
    unsigned stream = random() % 2;
    if (random() % 4 == 0) {
      order.record(stream, event);
      order.wait(1 - stream, event++);
    }
    Point point = order.issue(stream);
    // Buffers are used near to one another in time.
    unsigned buffer =
        std::min<unsigned>(count - 1, op * count / ops + random() % 3 % count);
    specs[buffer].accesses.push_back(point);
  }
  return specs;
}

} // namespace

TEST(MemoryPlan, SuccessiveBuffersShareBytes) {
  HappensBefore order;
  Point a = order.issue(0), b = order.issue(0), c = order.issue(0);
  Planned planned = plan({{100, 1, {a, b}}, {60, 1, {b, c}}, {90, 1, {c}}});
  EXPECT_EQ(planned.peak, 160);
  EXPECT_EQ(planned.offsets[0], planned.offsets[2]);
}

TEST(MemoryPlan, OtherStreamNeedsAnEvent) {
  HappensBefore order;
  Point a = order.issue(0), b = order.issue(1);
  EXPECT_EQ(plan({{8, 1, {a}}, {8, 1, {b}}}).peak, 16);
  order.record(0, 0);
  order.wait(1, 0);
  Point c = order.issue(1);
  EXPECT_EQ(plan({{8, 1, {a}}, {8, 1, {c}}}).peak, 8);
}

TEST(MemoryPlan, OffsetsAreAligned) {
  HappensBefore order;
  Point a = order.issue(0);
  Planned planned =
      plan({{100, 64, {a}}, {4, 128, {a}}, {1, 256, {a}}, {0, 64, {a}}});
  EXPECT_EQ(planned.offsets[0] % 64, 0);
  EXPECT_EQ(planned.offsets[1] % 128, 0);
  EXPECT_EQ(planned.offsets[2] % 256, 0);
}

TEST(MemoryPlan, MembersLieInTheirBuffer) {
  HappensBefore order;
  Point a = order.issue(0), b = order.issue(0), c = order.issue(0);
  MemoryPlan plan;
  auto flat = plan.addBuffer(64, 32);
  auto slice = plan.addMember(flat, 16);
  auto inner = plan.addMember(slice, 8);
  auto other = plan.addBuffer(64, 32);
  plan.addAccess(flat, a);
  plan.addAccess(inner, c); // keeps all of the buffer alive
  plan.addAccess(other, b);
  plan.compute();
  EXPECT_EQ(plan.getOffset(slice), plan.getOffset(flat) + 16);
  EXPECT_EQ(plan.getOffset(inner), plan.getOffset(flat) + 24);
  EXPECT_EQ(plan.getPeak(), 128);
}

TEST(MemoryPlan, OutputsAreNotReused) {
  HappensBefore order;
  MemoryPlan plan;
  auto output = plan.addBuffer(32, 32), late = plan.addBuffer(32, 32);
  plan.addAccess(output, order.issue(0));
  plan.addAccess(late, order.issue(0));
  plan.extendToEnd(output);
  plan.compute();
  EXPECT_NE(plan.getOffset(output), plan.getOffset(late));
}

TEST(MemoryPlan, UntouchedBuffersTakeNoRoom) {
  MemoryPlan plan;
  plan.addBuffer(32, 32);
  plan.addBuffer(32, 32);
  plan.compute();
  EXPECT_EQ(plan.getPeak(), 32);
}

TEST(MemoryPlan, NeverSharesBytesOfBuffersThatMeet) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<Spec> specs = randomSpecs(random, 12, 40, 1 << random() % 4);
    Planned planned = plan(specs);
    for (unsigned i = 0; i < specs.size(); ++i) {
      EXPECT_EQ(planned.offsets[i] % specs[i].alignment, 0);
      EXPECT_LE(planned.offsets[i] + specs[i].bytes, planned.peak);
      for (unsigned j = 0; j < i; ++j) {
        if (maySharePlace(specs[i], specs[j]))
          continue;
        EXPECT_TRUE(planned.offsets[i] + specs[i].bytes <= planned.offsets[j] ||
                    planned.offsets[j] + specs[j].bytes <= planned.offsets[i]);
      }
    }
  }
}

// Each of two buffers is filled by computation and then sent. In the order of
// issue the first is done with when the second is filled.
TEST(MemoryPlan, WhatIsSentCountsUntilItIsAwaited) {
  HappensBefore order;
  MemoryPlan plan;
  auto first = plan.addBuffer(64, 64), second = plan.addBuffer(64, 64);
  plan.addAccess(first, order.issue(0));
  order.record(0, 0);
  order.wait(1, 0);
  plan.addAccess(first, order.issue(1));
  order.record(1, 1);
  plan.addAccess(second, order.issue(0));
  EXPECT_EQ(plan.getLowerBound(), 128);
  order.wait(0, 1);
  auto third = plan.addBuffer(64, 64);
  plan.addAccess(third, order.issue(0));
  EXPECT_EQ(plan.getLowerBound(), 128);
  plan.compute();
  EXPECT_EQ(plan.getPeak(), 128);
}

TEST(MemoryPlan, IsNearTheBestPlan) {
  std::mt19937 random(3);
  int64_t ours = 0, best = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<Spec> specs = randomSpecs(random, 6, 24, 1);
    Planned planned = plan(specs);
    int64_t peak = planned.peak, least = bestPeak(specs);
    EXPECT_LE(planned.bound, least);
    EXPECT_GE(peak, least);
    EXPECT_LE(2 * peak, 3 * least);
    ours += peak;
    best += least;
  }
  EXPECT_LE(100 * ours, 103 * best);
}

TEST(MemoryPlan, IsAFunctionOfItsInput) {
  std::mt19937 random(4);
  std::vector<Spec> specs = randomSpecs(random, 500, 2000, 32);
  EXPECT_EQ(plan(specs).offsets, plan(specs).offsets);
}

// A training step: activations live from their layer forward to the same layer
// backward, and what is computed on the way briefly.
TEST(MemoryPlan, ATrainingStepTakesItsLowerBound) {
  constexpr unsigned kLayers = 3000;
  HappensBefore order;
  MemoryPlan plan;
  std::vector<MemoryPlan::Buffer> saved;
  auto last = plan.addBuffer(128, 128);
  auto compute = [&](int64_t bytes) {
    auto next = plan.addBuffer(bytes, 128);
    Point op = order.issue(0);
    plan.addAccess(last, op);
    plan.addAccess(next, op);
    last = next;
    return op;
  };
  for (unsigned i = 0; i < kLayers; ++i) {
    compute(128 * (1 + i * 7919 % 61));
    saved.push_back(last);
    compute(128 * (1 + i * 104729 % 61));
  }
  for (unsigned i = kLayers; i-- > 0;)
    plan.addAccess(saved[i], compute(128 * (1 + i * 1299709 % 61)));
  plan.compute();
  EXPECT_LE(1000 * plan.getPeak(), 1002 * plan.getLowerBound());
}
