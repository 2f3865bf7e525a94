// Bandwidth of the channel between processes, against what the same processes
// reach with memcpy in the same rounds. bench_ranks.py runs it.
//
//   channel-bench [RANKS [DIRECT]]
//
// for 2 ranks by default; DIRECT is the size in bytes from which messages are
// read directly, 18446744073709551615 for none.
//
// Prints a JSON object for each collective and message size, which is what a
// rank sends to each other one. Rounds walk through more memory than caches
// hold, as a training step does, and memcpy alternates with the collectives, by
// all ranks at once. Medians of the rounds, in bytes a second of one rank:
// `received` is what others sent to it, and `copied` is memcpy of as many
// bytes. A rank's own part lies in place.
//
// Objects with `messages` are about as many small messages, one after the other
// (`apart`) and as one exchange (`joined`), in seconds for all of them.

#include "runtime/channel/SharedMemoryChannel.h"
#include "runtime/program/Arena.h"
#include "runtime/program/Session.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace dsc::runtime;

namespace {

constexpr uint64_t kSmallest = uint64_t(16) << 10, kLargest = uint64_t(64)
                                                              << 20;

/// Memory of a rank that messages come from, and as much that they go to.
constexpr uint64_t kWindow = uint64_t(256) << 20;

/// What one rank writes for a size, so that small ones are measured often.
constexpr uint64_t kBytesMeasured = uint64_t(1) << 30;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

class Bench {
public:
  Bench(SharedMemoryChannel &channel, std::byte *source, std::byte *target)
      : channel(channel), source(source), target(target) {}

  /// Measures messages of one size and, on rank 0, prints what came out.
  void run(uint64_t bytes);
  /// Measures `count` messages, apart and joined.
  void runMany(uint64_t bytes, size_t count);

private:
  void check(const Status &status) {
    if (status.ok())
      return;
    std::fprintf(stderr, "channel-bench: %s\n", status.message().c_str());
    std::_Exit(1);
  }
  /// Seconds of this rank, from when all are ready.
  template <typename Body> double time(Body body) {
    check(channel.barrier());
    auto begin = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
  }
  void print(const char *collective, uint64_t bytes,
             const std::vector<double> &seconds,
             const std::vector<double> &copySeconds);

  SharedMemoryChannel &channel;
  std::byte *source, *target;
};

void Bench::print(const char *collective, uint64_t bytes,
                  const std::vector<double> &seconds,
                  const std::vector<double> &copySeconds) {
  if (channel.rank() != 0)
    return;
  double others = double(bytes) * (channel.size() - 1);
  std::printf("{\"collective\": \"%s\", \"bytes\": %" PRIu64
              ", \"ranks\": %u, \"received\": %.4g, \"copied\": %.4g}\n",
              collective, bytes, channel.size(), others / median(seconds),
              others / median(copySeconds));
  std::fflush(stdout);
}

void Bench::run(uint64_t bytes) {
  const uint64_t others = bytes * (channel.size() - 1), all = others + bytes;
  std::vector<double> copies, gathers, exchanges;
  const uint64_t window = std::max(kWindow, 2 * all);
  const uint64_t rounds = std::clamp<uint64_t>(kBytesMeasured / all, 9, 500);
  uint64_t offset = 0;
  auto next = [&] {
    uint64_t here = offset;
    offset = offset + 2 * all > window ? 0 : offset + all;
    return here;
  };
  for (uint64_t i = 0; i < rounds; ++i) {
    uint64_t at = next();
    copies.push_back(
        time([&] { std::memcpy(target + at, source + at, others); }));
    at = next();
    gathers.push_back(time([&] {
      check(channel.allGather(target + at + channel.rank() * bytes, target + at,
                              bytes));
    }));
    at = next();
    exchanges.push_back(time(
        [&] { check(channel.allToAll(source + at, target + at, bytes)); }));
  }
  print("all-gather", bytes, gathers, copies);
  print("all-to-all", bytes, exchanges, copies);
}

void Bench::runMany(uint64_t bytes, size_t count) {
  constexpr int kRounds = 300;
  std::vector<Channel::Message> messages;
  for (size_t i = 0; i < count; ++i) {
    uint64_t at = i * bytes * channel.size();
    messages.push_back(
        {source + at, target + at, Slices(bytes, channel.size())});
  }
  for (bool gathers : {true, false}) {
    auto exchange = [&](std::span<const Channel::Message> some) {
      check(gathers ? channel.allGather(some) : channel.allToAll(some));
    };
    std::vector<double> apart, joined;
    for (int i = 0; i < kRounds; ++i) {
      apart.push_back(time([&] {
        for (const Channel::Message &message : messages)
          exchange({&message, 1});
      }));
      joined.push_back(time([&] { exchange(messages); }));
    }
    if (channel.rank() == 0)
      std::printf("{\"collective\": \"%s\", \"bytes\": %" PRIu64
                  ", \"ranks\": %u, \"messages\": %zu, \"apart\": %.4g, "
                  "\"joined\": %.4g}\n",
                  gathers ? "all-gather" : "all-to-all", bytes, channel.size(),
                  count, median(apart), median(joined));
    std::fflush(stdout);
  }
}

int runRank(std::shared_ptr<SharedWorld> world, uint32_t rank) {
  bool spins = world->size() <= usableCores();
  auto channel = SharedMemoryChannel::join(world, rank, spins);
  // As sessions hold it.
  const uint64_t window = std::max(kWindow, 2 * kLargest * world->size());
  Result<Arena> source = Arena::allocate(window);
  Result<Arena> target = Arena::allocate(window);
  if (!channel.ok() || !source.ok() || !target.ok())
    return 1;
  std::memset(source->data(), int(rank + 1), source->bytes());
  Bench bench(**channel, source->data(), target->data());
  for (uint64_t bytes = kSmallest; bytes <= kLargest; bytes *= 4)
    bench.run(bytes);
  bench.runMany(/*bytes=*/1024, /*count=*/32);
  bench.runMany(kSmallest, /*count=*/32);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  uint32_t ranks = argc > 1 ? uint32_t(std::atoi(argv[1])) : 2;
  uint64_t direct = argc > 2 ? std::strtoull(argv[2], nullptr, 10)
                             : SharedWorld::kDirectBytes;
  Result<std::shared_ptr<SharedWorld>> world =
      SharedWorld::create(ranks, direct);
  if (ranks < 2 || !world.ok()) {
    std::fprintf(stderr, "usage: channel-bench [RANKS [DIRECT]], at least 2\n");
    return 2;
  }
  for (uint32_t rank = 0; rank < ranks; ++rank)
    if (fork() == 0)
      std::_Exit(runRank(*world, rank));
  int failed = 0, status;
  while (wait(&status) > 0)
    failed |= status;
  return failed != 0;
}
