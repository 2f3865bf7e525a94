#include "passes/analysis/StreamSimulation.h"

#include <gtest/gtest.h>

using namespace dsc;

namespace {

constexpr unsigned kCompute = 0, kCommunication = 1, kTransfer = 2;

TEST(StreamSimulation, AStreamRunsInOrder) {
  StreamSimulation streams(0);
  EXPECT_EQ(streams.issue(kCompute, 2).begin, 0);
  auto second = streams.issue(kCompute, 3);
  EXPECT_EQ(second.begin, 2);
  EXPECT_EQ(second.end, 5);
  EXPECT_EQ(streams.finish(), 5);
}

TEST(StreamSimulation, StreamsRunBesideOneAnother) {
  StreamSimulation streams(0);
  streams.issue(kCompute, 2);
  streams.issue(kCommunication, 7);
  EXPECT_EQ(streams.getTime(kCompute), 2);
  EXPECT_EQ(streams.finish(), 7);
}

TEST(StreamSimulation, EventsOrderThem) {
  StreamSimulation streams(0);
  streams.issue(kCompute, 2);
  EXPECT_TRUE(streams.record(kCompute, 0));
  streams.issue(kCompute, 10); // Behind the event.
  EXPECT_TRUE(streams.wait(kCommunication, 0));
  EXPECT_EQ(streams.issue(kCommunication, 3).begin, 2);
  EXPECT_TRUE(streams.record(kCommunication, 1));
  EXPECT_TRUE(streams.wait(kCompute, 1)); // Has happened long since.
  EXPECT_EQ(streams.getTime(kCompute), 12);
  EXPECT_FALSE(streams.record(kCompute, 1));
  EXPECT_FALSE(streams.wait(kCompute, 2));
  EXPECT_EQ(streams.finish(), 12);
}

TEST(StreamSimulation, SharedCoresDoOneThingAtATime) {
  StreamSimulation streams(1);
  streams.issue(kCommunication, 4);
  auto work = streams.issue(kCompute, 3);
  EXPECT_EQ(work.begin, 0);
  EXPECT_EQ(work.end, 7);
}

TEST(StreamSimulation, AShareIsTakenWhileBothWork) {
  StreamSimulation streams(0.5);
  streams.issue(kCommunication, 4);
  // Two of three seconds' work in the four of the exchange, and one behind.
  EXPECT_DOUBLE_EQ(streams.issue(kCompute, 3).end, 5);
  // Nothing beside it any more.
  EXPECT_DOUBLE_EQ(streams.issue(kCompute, 1).end, 6);
  // It ends in the middle of an exchange, and the next one goes on from there.
  streams.issue(kCommunication, 6); // From 4 to 10.
  EXPECT_DOUBLE_EQ(streams.issue(kCompute, 1).end, 8);
  EXPECT_DOUBLE_EQ(streams.issue(kCompute, 2).end, 11);
}

TEST(StreamSimulation, ExchangesBehindGapsAreMet) {
  StreamSimulation streams(0.5);
  EXPECT_TRUE(streams.record(kCompute, 0));
  streams.issue(kCompute, 1);
  EXPECT_TRUE(streams.record(kCompute, 1));
  EXPECT_TRUE(streams.wait(kCommunication, 1));
  streams.issue(kCommunication, 1); // From 1 to 2.
  streams.issue(kTransfer, 0);      // Takes nothing.
  EXPECT_DOUBLE_EQ(streams.issue(kCompute, 1).end, 2.5);
}

TEST(StreamSimulation, EmptyProgramsTakeNoTime) {
  EXPECT_EQ(StreamSimulation(1).finish(), 0);
}

} // namespace
