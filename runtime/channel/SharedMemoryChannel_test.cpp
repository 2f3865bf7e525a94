// The channel between real processes: each test forks its ranks.

#include "runtime/channel/PeerMemory.h"
#include "runtime/channel/SharedMemoryChannel.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

constexpr uint64_t kPiece = SharedWorld::kPieceBytes;

/// Runs `body` as each rank of a world and expects all to return true. A rank
/// that hangs is ended by its alarm.
template <typename Body>
void forEachRank(uint32_t ranks, Body body,
                 uint64_t directBytes = SharedWorld::kDirectBytes) {
  Result<std::shared_ptr<SharedWorld>> world =
      SharedWorld::create(ranks, directBytes);
  ASSERT_TRUE(world.ok()) << world.status().message();
  std::vector<pid_t> children;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);
      auto channel = SharedMemoryChannel::join(*world, rank, false);
      _exit(channel.ok() && body(**channel) ? 0 : 1);
    }
    children.push_back(child);
  }
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    int status = -1;
    waitpid(children[rank], &status, 0);
    EXPECT_EQ(status, 0) << "rank " << rank << " of " << ranks;
  }
}

/// Byte `i` of what `from` sends to `to`.
std::byte patternAt(uint32_t from, uint32_t to, uint64_t i) {
  return std::byte(from * 31 + to * 7 + i * 13 + i / 251);
}

std::vector<std::byte> pattern(uint32_t from, uint32_t to, uint64_t bytes) {
  std::vector<std::byte> data(bytes);
  for (uint64_t i = 0; i < bytes; ++i)
    data[i] = patternAt(from, to, i);
  return data;
}

void append(std::vector<std::byte> &all, const std::vector<std::byte> &more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Around the sizes at which pieces begin and end.
const uint64_t kSizes[] = {
    0, 1, 7, 4096, kPiece - 1, kPiece, kPiece + 1, 3 * kPiece, 3 * kPiece + 5};

/// Each with every message read directly, with none, and as it comes.
class SharedMemoryChannelTest
    : public testing::TestWithParam<std::tuple<uint32_t, uint64_t>> {
protected:
  template <typename Body> void forEachRank(Body body) {
    auto [ranks, directBytes] = GetParam();
    ::forEachRank(
        ranks,
        [&](SharedMemoryChannel &channel) {
          // The first collective finds out how ranks reach each other.
          return channel.barrier().ok() && body(channel);
        },
        directBytes);
  }
};

TEST_P(SharedMemoryChannelTest, AllGatherJoinsShardsInRankOrder) {
  forEachRank([](SharedMemoryChannel &channel) {
    uint64_t wanted = 0;
    for (uint64_t bytes : kSizes) {
      std::vector<std::byte> shard = pattern(channel.rank(), 0, bytes), all;
      for (uint32_t rank = 0; rank < channel.size(); ++rank)
        append(all, pattern(rank, 0, bytes));
      std::vector<std::byte> full(all.size());
      // Once from elsewhere and once from its own place.
      for (std::byte *from :
           {shard.data(), full.data() + channel.rank() * bytes}) {
        if (!channel.allGather(from, full.data(), bytes).ok() || full != all)
          return false;
        wanted += (channel.size() - 1) * bytes;
      }
    }
    return channel.receivedBytes() == wanted;
  });
}

TEST_P(SharedMemoryChannelTest, AllGatherOfDifferentSizes) {
  forEachRank([](SharedMemoryChannel &channel) {
    std::vector<uint64_t> sizes;
    for (uint32_t rank = 0; rank < channel.size(); ++rank)
      sizes.push_back(kSizes[rank * 5 % std::size(kSizes)]);
    std::vector<std::byte> all;
    for (uint32_t rank = 0; rank < channel.size(); ++rank)
      append(all, pattern(rank, 0, sizes[rank]));
    std::vector<std::byte> full(all.size());
    auto shard = pattern(channel.rank(), 0, sizes[channel.rank()]);
    return channel.allGather(shard.data(), full.data(), sizes).ok() &&
           full == all && channel.receivedBytes() == all.size() - shard.size();
  });
}

/// What a rank's slice holds after an all-to-all into bytes that all were
/// kUntouched, which its own still are.
constexpr std::byte kUntouched{0xa5};
std::vector<std::byte> receivedFrom(const SharedMemoryChannel &channel,
                                    uint32_t rank, uint64_t bytes) {
  return rank == channel.rank() ? std::vector<std::byte>(bytes, kUntouched)
                                : pattern(rank, channel.rank(), bytes);
}

TEST_P(SharedMemoryChannelTest, AllToAllSendsEachSliceToItsRank) {
  forEachRank([](SharedMemoryChannel &channel) {
    for (uint64_t bytes : kSizes) {
      std::vector<std::byte> sent, wanted;
      for (uint32_t rank = 0; rank < channel.size(); ++rank) {
        append(sent, pattern(channel.rank(), rank, bytes));
        append(wanted, receivedFrom(channel, rank, bytes));
      }
      std::vector<std::byte> got(wanted.size(), kUntouched);
      if (!channel.allToAll(sent.data(), got.data(), bytes).ok() ||
          got != wanted)
        return false;
    }
    return true;
  });
}

/// Sizes of ranges, one a rank; with `number`, others.
std::vector<uint64_t> differentSizes(uint32_t ranks, uint32_t number) {
  std::vector<uint64_t> sizes;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    sizes.push_back(kSizes[(rank * 3 + number * 5) % std::size(kSizes)]);
  return sizes;
}

/// One message of an exchange, with what it should give.
struct TestMessage {
  std::vector<uint64_t> sizes;
  std::vector<std::byte> sent, wanted, got;
};

/// `number` tells messages apart.
TestMessage makeGather(const SharedMemoryChannel &channel, uint32_t number) {
  TestMessage message;
  message.sizes = differentSizes(channel.size(), number);
  for (uint32_t rank = 0; rank < channel.size(); ++rank) {
    auto shard = pattern(rank, number, message.sizes[rank]);
    append(message.wanted, shard);
    if (rank == channel.rank())
      message.sent = shard;
  }
  message.got.resize(message.wanted.size());
  return message;
}

TestMessage makeExchange(const SharedMemoryChannel &channel, uint32_t number) {
  TestMessage message;
  message.sizes = differentSizes(channel.size(), number);
  uint64_t own = message.sizes[channel.rank()];
  for (uint32_t rank = 0; rank < channel.size(); ++rank) {
    append(message.sent,
           pattern(channel.rank() + number, rank, message.sizes[rank]));
    append(message.wanted, rank == channel.rank()
                               ? std::vector<std::byte>(own, kUntouched)
                               : pattern(rank + number, channel.rank(), own));
  }
  message.got.assign(message.wanted.size(), kUntouched);
  return message;
}

TEST_P(SharedMemoryChannelTest, AllToAllOfDifferentSizes) {
  forEachRank([&](SharedMemoryChannel &channel) {
    TestMessage message = makeExchange(channel, 0);
    return channel
               .allToAll(message.sent.data(), message.got.data(), message.sizes)
               .ok() &&
           message.got == message.wanted;
  });
}

// Messages of one exchange, of all sizes, arrive as they would one by one.
TEST_P(SharedMemoryChannelTest, SeveralMessagesAreOneExchange) {
  forEachRank([&](SharedMemoryChannel &channel) {
    for (bool gathers : {true, false}) {
      std::vector<TestMessage> tests;
      for (uint32_t number = 0; number < 5; ++number)
        tests.push_back(gathers ? makeGather(channel, number)
                                : makeExchange(channel, number));
      std::vector<Channel::Message> messages;
      for (TestMessage &test : tests)
        messages.push_back(
            {test.sent.data(), test.got.data(), Slices(test.sizes)});
      Status status =
          gathers ? channel.allGather(messages) : channel.allToAll(messages);
      if (!status.ok())
        return false;
      for (const TestMessage &test : tests)
        if (test.got != test.wanted)
          return false;
    }
    return true;
  });
}

// Small messages that are one exchange wait for the others once, not each.
TEST(SharedMemoryChannel, JoinedMessagesNeedOneHandshake) {
  forEachRank(3, [](SharedMemoryChannel &channel) {
    constexpr uint32_t kCount = 32, kBytes = 1024;
    std::vector<std::byte> sent(3 * kBytes), got(kCount * 3 * kBytes);
    std::vector<Channel::Message> messages;
    for (uint32_t i = 0; i < kCount; ++i)
      messages.push_back(
          {sent.data(), got.data() + i * 3 * kBytes, Slices(kBytes, 3)});
    auto count = [&](auto body) {
      uint32_t before = channel.rounds();
      return body().ok() ? channel.rounds() - before : 0;
    };
    if (!channel.barrier().ok()) // The first one finds out who may read whom.
      return false;
    return count([&] { return channel.allGather(messages); }) == 1 &&
           count([&] { return channel.allToAll(messages); }) == 1 &&
           count([&] {
             for (const Channel::Message &message : messages)
               if (Status status = channel.allGather(std::span(&message, 1));
                   !status.ok())
                 return status;
             return Status();
           }) == kCount;
  });
}

// Every rank's message to every other, one pair after the other.
TEST_P(SharedMemoryChannelTest, SendAndReceive) {
  forEachRank([](SharedMemoryChannel &channel) {
    for (uint64_t bytes : {uint64_t(0), uint64_t(7), kPiece + 1})
      for (uint32_t from = 0; from < channel.size(); ++from)
        for (uint32_t to = 0; to < channel.size(); ++to) {
          std::vector<std::byte> wanted = pattern(from, to, bytes), got(bytes);
          if (from == to)
            continue;
          if (channel.rank() == from &&
              !channel.send(to, wanted.data(), bytes).ok())
            return false;
          if (channel.rank() == to &&
              (!channel.receive(from, got.data(), bytes).ok() || got != wanted))
            return false;
        }
    return true;
  });
}

// Ranks that are early or late by chance, through many exchanges of all kinds.
TEST_P(SharedMemoryChannelTest, LateRanksGetWhatTheyShould) {
  forEachRank([](SharedMemoryChannel &channel) {
    std::mt19937 delays(channel.rank()), kinds(1);
    for (int i = 0; i < 300; ++i) {
      usleep(delays() % 200);
      uint64_t bytes = 8 * (1 + kinds() % 64);
      std::vector<std::byte> full(bytes * channel.size(), kUntouched), wanted;
      std::vector<std::byte> sent;
      bool gathers = kinds() % 2;
      for (uint32_t rank = 0; rank < channel.size(); ++rank) {
        append(sent, pattern(channel.rank(), rank + i, bytes));
        bool stays = !gathers && rank == channel.rank();
        append(wanted,
               stays ? std::vector<std::byte>(bytes, kUntouched)
                     : pattern(rank, gathers ? i : channel.rank() + i, bytes));
      }
      Status status = gathers
                          ? channel.allGather(sent.data(), full.data(), bytes)
                          : channel.allToAll(sent.data(), full.data(), bytes);
      if (!status.ok() || full != wanted || !channel.barrier().ok())
        return false;
    }
    return true;
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, SharedMemoryChannelTest,
                         testing::Combine(testing::Values(1, 2, 3, 8),
                                          testing::Values(0, kPiece,
                                                          UINT64_MAX)));

/// Whether this system lets a process read another that its parent started.
bool siblingsMayRead() {
  bool direct = false;
  auto world = SharedWorld::create(2);
  std::atomic<uint64_t> &answer = (*world)->lastStep();
  pid_t child = fork();
  if (child == 0) {
    allowSiblingsToRead();
    answer.store(reinterpret_cast<uint64_t>(&child));
    pause();
  }
  pid_t reader = fork();
  if (reader == 0) {
    while (!answer.load())
      usleep(1000);
    pid_t theirs = -1;
    _exit(readMemory(child, answer.load(), &theirs, sizeof(theirs)) > 0);
  }
  int status = 0;
  waitpid(reader, &status, 0);
  direct = WEXITSTATUS(status) == 1;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return direct;
}

TEST(SharedMemoryChannel, RanksReadEachOtherWhereTheyMay) {
  const bool may = siblingsMayRead();
  forEachRank(3, [&](SharedMemoryChannel &channel) {
    return channel.barrier().ok() && channel.isDirect() == may;
  });
}

/// As the filters of some containers do.
void forbidToRead() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  sock_fprog program = {std::size(filter), filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

// One rank that may not read the others is enough.
TEST(SharedMemoryChannel, OutboxesServeWhereNotAllMayRead) {
  forEachRank(3, [](SharedMemoryChannel &channel) {
    if (channel.rank() == 1)
      forbidToRead();
    std::vector<std::byte> shard = pattern(channel.rank(), 0, kPiece + 1), all;
    for (uint32_t rank = 0; rank < channel.size(); ++rank)
      append(all, pattern(rank, 0, shard.size()));
    std::vector<std::byte> full(all.size());
    return channel.allGather(shard.data(), full.data(), shard.size()).ok() &&
           full == all && !channel.isDirect();
  });
}

// Memory of a living rank that is not there: a defect, and no crash.
TEST(SharedMemoryChannel, MemoryThatCannotBeReadIsAnError) {
  if (!siblingsMayRead())
    GTEST_SKIP() << "ranks may not read each other";
  forEachRank(2, [](SharedMemoryChannel &channel) {
    std::vector<std::byte> data(2 * kPiece);
    void *gone = mmap(nullptr, data.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(gone, data.size());
    auto fails = [](const Status &status) {
      return !status.ok() &&
             status.message() ==
                 "cannot read the memory of rank 1: Bad address";
    };
    bool isOther = channel.rank() == 1;
    // In place, so that rank 1 itself does not touch what is gone.
    Status gathered = channel.allGather(
        isOther ? gone : data.data(),
        isOther ? static_cast<std::byte *>(gone) - kPiece : data.data(),
        kPiece);
    return isOther || fails(gathered);
  });
}

// No rank leaves a barrier before the last one has come.
TEST(SharedMemoryChannel, BarrierWaitsForAll) {
  auto world = SharedWorld::create(3);
  forEachRank(3, [&](SharedMemoryChannel &channel) {
    std::atomic<uint64_t> &arrived = (*world)->lastStep(); // Any shared word.
    for (uint64_t i = 1; i <= 50; ++i) {
      usleep(channel.rank() * 100);
      arrived.fetch_add(1);
      if (!channel.barrier().ok() || arrived.load() < 3 * i)
        return false;
      if (!channel.barrier().ok())
        return false;
    }
    return true;
  });
}

TEST(SharedMemoryChannel, RanksThatDisagreeSayWho) {
  forEachRank(2, [](SharedMemoryChannel &channel) {
    std::byte data[64] = {};
    uint64_t bytes = channel.rank() == 0 ? 16 : 24;
    Status status = channel.allGather(data, data, bytes);
    std::string expected =
        channel.rank() == 0
            ? "the ranks disagree on collective 1: rank 0 makes an all-gather "
              "of 16 bytes and rank 1 an all-gather of 24"
            : "the ranks disagree on collective 1: rank 1 makes an all-gather "
              "of 24 bytes and rank 0 an all-gather of 16";
    return !status.ok() && status.message() == expected;
  });
}

TEST(SharedMemoryChannel, ARankIsStartedOnce) {
  auto world = SharedWorld::create(2);
  auto first = SharedMemoryChannel::join(*world, 1, false);
  auto second = SharedMemoryChannel::join(*world, 1, false);
  EXPECT_TRUE(first.ok());
  EXPECT_EQ(second.status().message(), "rank 1 is started twice");
  EXPECT_EQ(SharedMemoryChannel::join(*world, 2, false).status().message(),
            "there is no rank 2 among 2");
}

// What a watchdog reads of a rank that waits.
TEST(SharedMemoryChannel, SaysWhatARankWaitsFor) {
  auto world = SharedWorld::create(2);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    auto channel = SharedMemoryChannel::join(*world, 1, false);
    std::vector<std::string> labels = {"gather of fc1", "the rest"};
    std::byte data[64];
    (*channel)->expect(labels);
    (void)(*channel)->allGather(data, data, 24);
    _exit(0);
  }
  const RankSlot &slot = (*world)->slot(1);
  for (int i = 0; i < 5000 && slot.rounds.value.load() == 0; ++i)
    usleep(1000);
  EXPECT_EQ(slot.begun.load(), 1u);
  EXPECT_EQ(slot.finished.load(), 0u);
  EXPECT_EQ(slot.bytes.load(), 24u);
  EXPECT_STREQ(slot.label, "gather of fc1");
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(SharedMemoryChannel, TooLittleMemoryIsAnError) {
  pid_t child = fork();
  if (child == 0) {
    rlimit limit = {1 << 28, 1 << 28};
    setrlimit(RLIMIT_AS, &limit);
    auto world = SharedWorld::create(1024);
    _exit(!world.ok() && world.status().message().starts_with(
                             "cannot share 770 MiB of memory among 1024 ranks")
              ? 0
              : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

} // namespace
