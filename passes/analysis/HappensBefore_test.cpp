#include "passes/analysis/HappensBefore.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

using namespace dsc;

TEST(HappensBefore, OneStreamRunsInOrder) {
  HappensBefore order;
  Point a = order.issue(0), b = order.issue(0);
  EXPECT_TRUE(a.isBefore(b));
  EXPECT_FALSE(b.isBefore(a));
  EXPECT_FALSE(a.isBefore(a));
}

TEST(HappensBefore, StreamsAreUnorderedWithoutEvents) {
  HappensBefore order;
  Point a = order.issue(0), b = order.issue(1);
  EXPECT_FALSE(a.isBefore(b));
  EXPECT_FALSE(b.isBefore(a));
}

TEST(HappensBefore, EventOrdersWhatWasIssuedBeforeIt) {
  HappensBefore order;
  Point before = order.issue(0);
  EXPECT_TRUE(order.record(0, 7));
  Point behind = order.issue(0);
  EXPECT_TRUE(order.wait(1, 7));
  Point waiter = order.issue(1);
  EXPECT_TRUE(before.isBefore(waiter));
  EXPECT_FALSE(behind.isBefore(waiter));
}

TEST(HappensBefore, OrderIsTransitiveThroughAThirdStream) {
  HappensBefore order;
  Point a = order.issue(0);
  order.record(0, 0);
  order.wait(1, 0);
  order.record(1, 1);
  order.wait(2, 1);
  EXPECT_TRUE(a.isBefore(order.issue(2)));
}

TEST(HappensBefore, RefusesWaitBeforeRecordAndSecondRecord) {
  HappensBefore order;
  EXPECT_FALSE(order.wait(1, 3));
  EXPECT_TRUE(order.record(0, 3));
  EXPECT_FALSE(order.record(1, 3));
}

// Clocks agree with reachability in the graph of ops, stream edges and events.
TEST(HappensBefore, AgreesWithReachability) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    constexpr unsigned kStreams = 3;
    HappensBefore order;
    std::vector<Point> points;
    std::vector<std::vector<bool>> reaches;     // reaches[to][from]
    std::vector<bool> tail[kStreams], marks[8]; // all that is done, per stream
    bool recorded[8] = {};
    auto merge = [](std::vector<bool> &into, const std::vector<bool> &from) {
      into.resize(std::max(into.size(), from.size()));
      for (size_t i = 0; i < from.size(); ++i)
        into[i] = into[i] || from[i];
    };
    for (int step = 0; step < 40; ++step) {
      unsigned stream = random() % kStreams, event = random() % 8;
      switch (random() % 3) {
      case 0: {
        points.push_back(order.issue(stream));
        tail[stream].resize(points.size());
        reaches.push_back(tail[stream]);
        tail[stream][points.size() - 1] = true;
        break;
      }
      case 1:
        EXPECT_EQ(order.record(stream, event), !recorded[event]);
        if (!recorded[event])
          marks[event] = tail[stream];
        recorded[event] = true;
        break;
      case 2:
        EXPECT_EQ(order.wait(stream, event), recorded[event]);
        if (recorded[event])
          merge(tail[stream], marks[event]);
        break;
      }
    }
    for (size_t to = 0; to < points.size(); ++to)
      for (size_t from = 0; from < points.size(); ++from)
        EXPECT_EQ(points[from].isBefore(points[to]),
                  from < reaches[to].size() && reaches[to][from]);
  }
}
