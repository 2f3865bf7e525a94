#include "runtime/channel/CommunicationStream.h"
#include "runtime/channel/SingleRankChannel.h"

#include <gtest/gtest.h>
#include <vector>

using namespace dsc::runtime;

namespace {

void incrementKernel(void *const *args, int64_t begin, int64_t end) {
  auto *values = static_cast<int64_t *>(args[0]);
  for (int64_t i = begin; i < end; ++i)
    ++values[i];
}

/// A channel that fails at its second call.
class FailingChannel final : public SingleRankChannel {
public:
  using SingleRankChannel::allGather;
  Status allGather(const void *, void *, uint64_t) override {
    return ++calls == 2 ? inputError("the link is gone") : Status();
  }

  int calls = 0;
};

TEST(CommunicationStream, RunsInOrder) {
  SingleRankChannel channel;
  CommunicationStream stream(channel);
  std::vector<int64_t> a(100, 7), b(100, 1), c(100, 0);
  void *const args[] = {b.data()};
  stream.copy(b.data(), a.data(), 800);
  stream.launch(incrementKernel, args, 1, 100);
  stream.allGather(b.data(), c.data(), 800);
  stream.fillZero(a.data(), 800);
  stream.allToAll(a.data(), b.data(), 400);
  stream.waitFor(stream.position());
  EXPECT_EQ(c, std::vector<int64_t>(100, 8));
  EXPECT_EQ(b[49], 0);
  EXPECT_EQ(b[50], 8);
  EXPECT_TRUE(stream.status().ok());
}

// More operations than the queue holds.
TEST(CommunicationStream, IssuingWaitsForAFullQueue) {
  SingleRankChannel channel;
  CommunicationStream stream(channel);
  std::vector<int64_t> values(1, 0);
  void *const args[] = {values.data()};
  for (int i = 0; i < 5000; ++i)
    stream.launch(incrementKernel, args, 1, 1);
  stream.waitFor(stream.position());
  EXPECT_EQ(values[0], 5000);
}

TEST(CommunicationStream, KeepsTheFirstFailureAndPassesOverTheRest) {
  FailingChannel channel;
  CommunicationStream stream(channel);
  for (int i = 0; i < 5; ++i)
    stream.allGather(nullptr, nullptr, 0);
  stream.waitFor(stream.position());
  EXPECT_EQ(stream.status().message(), "the link is gone");
  EXPECT_EQ(channel.calls, 2);
}

} // namespace
