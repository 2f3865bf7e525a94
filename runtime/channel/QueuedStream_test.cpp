#include "runtime/channel/QueuedStream.h"
#include "runtime/channel/SingleRankChannel.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <gtest/gtest.h>
#include <thread>
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
  Status allGather(std::span<const Message>) override {
    return ++calls == 2 ? inputError("the link is gone") : Status();
  }

  int calls = 0;
};

TEST(QueuedStream, RunsInOrder) {
  SingleRankChannel channel;
  QueuedStream stream(channel);
  std::vector<int64_t> a(100, 7), b(100, 1), c(100, 0);
  void *const args[] = {b.data()};
  stream.copy(b.data(), a.data(), 800);
  stream.launch(incrementKernel, args, 1, 100);
  stream.allGather({b.data(), c.data(), Slices(800, 1)});
  stream.fillZero(a.data(), 800);
  stream.allToAll({a.data(), b.data(), Slices(800, 1)});
  stream.waitFor(stream.position());
  EXPECT_EQ(c, std::vector<int64_t>(100, 8));
  EXPECT_EQ(b, std::vector<int64_t>(100, 8)); // One rank has only its own.
  EXPECT_TRUE(stream.status().ok());
}

/// Notes how many messages each exchange has.
class CountingChannel final : public SingleRankChannel {
public:
  Status allGather(std::span<const Message> messages) override {
    counts.push_back(messages.size());
    return SingleRankChannel::allGather(messages);
  }

  std::vector<size_t> counts;
};

// Messages that say that more follow are one exchange with those, of any
// number, and what stands behind waits for all of them.
TEST(QueuedStream, JoinsMessages) {
  CountingChannel channel;
  std::vector<int64_t> from(400), to(400);
  for (int64_t i = 0; i < 400; ++i)
    from[i] = i + 1;
  {
    QueuedStream stream(channel);
    auto gather = [&](int i, bool more) {
      stream.allGather({&from[i], &to[i], Slices(8, 1)}, more);
    };
    gather(0, true);
    gather(1, true);
    gather(2, false);
    gather(3, false);
    stream.waitFor(stream.position());
    EXPECT_EQ(channel.counts, (std::vector<size_t>{3, 1}));
    channel.counts.clear();
    for (int i = 4; i < 400; ++i)
      gather(i, i < 399);
    stream.waitFor(stream.position());
    EXPECT_EQ(channel.counts, (std::vector<size_t>{128, 128, 128, 12}));
    // One that does not come ends with what comes instead.
    channel.counts.clear();
    gather(0, true);
    stream.fillZero(to.data(), 0);
    stream.waitFor(stream.position());
    EXPECT_EQ(channel.counts, std::vector<size_t>{1});
  }
  EXPECT_EQ(to, from);
}

/// An exchange lasts until it is let go.
class HeldChannel final : public SingleRankChannel {
public:
  Status allGather(std::span<const Message>) override {
    held.wait(true);
    return {};
  }

  std::atomic<bool> held{true};
};

// Whoever computes goes on while an exchange is in progress, and waits for what
// it asks for alone.
TEST(QueuedStream, ComputationGoesOnDuringAnExchange) {
  HeldChannel channel;
  QueuedStream stream(channel);
  std::vector<int64_t> values(1, 0);
  void *const args[] = {values.data()};
  stream.launch(incrementKernel, args, 1, 1);
  uint64_t before = stream.position();
  stream.allGather({nullptr, nullptr, Slices(0, 1)});
  for (int i = 0; i < 200; ++i)
    stream.launch(incrementKernel, args, 1, 1);
  stream.waitFor(before);
  EXPECT_EQ(values[0], 1);
  channel.held.store(false);
  channel.held.notify_all();
  stream.waitFor(stream.position());
  EXPECT_EQ(values[0], 201);
}

/// An exchange over a link that takes no core.
class SlowChannel final : public SingleRankChannel {
public:
  Status allGather(std::span<const Message>) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return {};
  }
};

// Neither the thread that waits for an exchange nor the one that has nothing to
// run spins: ranks may have more threads than there are cores.
TEST(QueuedStream, WaitingTakesNoCore) {
  SlowChannel channel;
  QueuedStream stream(channel);
  std::clock_t before = std::clock();
  stream.allGather({nullptr, nullptr, Slices(0, 1)});
  stream.waitFor(stream.position());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  double seconds = double(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 0.1) << "of processor time in 0.4 s of waiting";
}

// More operations than the queue holds.
TEST(QueuedStream, IssuingWaitsForAFullQueue) {
  SingleRankChannel channel;
  QueuedStream stream(channel);
  std::vector<int64_t> values(1, 0);
  void *const args[] = {values.data()};
  for (int i = 0; i < 5000; ++i)
    stream.launch(incrementKernel, args, 1, 1);
  stream.waitFor(stream.position());
  EXPECT_EQ(values[0], 5000);
}

TEST(QueuedStream, KeepsTheFirstFailureAndPassesOverTheRest) {
  FailingChannel channel;
  QueuedStream stream(channel);
  for (int i = 0; i < 5; ++i)
    stream.allGather({nullptr, nullptr, Slices(0, 1)});
  stream.waitFor(stream.position());
  EXPECT_EQ(stream.status().message(), "the link is gone");
  EXPECT_EQ(channel.calls, 2);
}

// A transfer stream copies as it is told, and keeps the first failure.
TEST(QueuedStream, CopiesByItsOwnMeans) {
  int copies = 0;
  QueuedStream stream([&](void *dst, const void *src, uint64_t bytes) {
    std::memcpy(dst, src, bytes);
    return ++copies == 3 ? inputError("the disk is gone") : Status();
  });
  int64_t from = 7, to = 0;
  stream.copy(&to, &from, sizeof(to));
  stream.waitFor(stream.position());
  EXPECT_EQ(to, 7);
  EXPECT_TRUE(stream.status().ok());
  for (int i = 0; i < 5; ++i)
    stream.copy(&to, &from, sizeof(to));
  stream.waitFor(stream.position());
  EXPECT_EQ(stream.status().message(), "the disk is gone");
  EXPECT_EQ(copies, 3);
}

TEST(QueuedStream, TransfersAreNoCollectives) {
  QueuedStream stream([](void *, const void *, uint64_t) { return Status(); });
  stream.allGather({nullptr, nullptr, Slices(0, 1)});
  stream.waitFor(stream.position());
  EXPECT_EQ(stream.status().message(),
            internalError("a collective is on the transfer stream").message());
}

} // namespace
