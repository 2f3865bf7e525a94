// Ranks as processes, and what becomes of a run when one of them is lost.

#include "runtime/driver/Launcher.h"
#include "runtime/driver/Rendezvous.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

struct Outcome {
  int code;
  std::string message; ///< All that went to standard error.
  double seconds;
};

Outcome launch(uint32_t ranks, const RankBody &body, double timeout = 600) {
  testing::internal::CaptureStderr();
  auto begin = std::chrono::steady_clock::now();
  int code = launchRanks({ranks, false, timeout}, Log("test"), body);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  // No rank is left behind, not even as a zombie.
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  return {code, testing::internal::GetCapturedStderr(), time.count()};
}

/// Makes 50 collectives, and calls `fault` before number `at` on `rank`.
template <typename Fault>
RankBody faultyRank(uint32_t rank, int at, Fault fault) {
  return [=](Channel &channel, SharedWorld &world) -> Status {
    std::vector<std::byte> data(64 * channel.size());
    const std::string label[] = {"gather of w at node 'n' (Gemm)"};
    for (int i = 1; i <= 50; ++i) {
      world.slot(channel.rank()).step.store((i + 9) / 10);
      if (channel.rank() == rank && i == at)
        DSC_RETURN_IF_ERROR(fault());
      channel.expect(label);
      DSC_RETURN_IF_ERROR(channel.allGather(data.data(), data.data(), 64));
    }
    return {};
  };
}

Status killed() {
  kill(getpid(), SIGKILL);
  return {};
}
Status stopped() {
  kill(getpid(), SIGSTOP);
  return {};
}
Status thrown() { throw std::runtime_error("a thrown sentence"); }

/// Where the others wait for a rank that does not come to collective `at`.
std::string waitFor(uint32_t rank, int at) {
  return concat("in step ", (at + 9) / 10, ", collective ", at,
                " (gather of w at node 'n' (Gemm), all-gather of 64 bytes) "
                "waits for rank ",
                rank);
}

TEST(Launcher, EndsWhenAllRanksDo) {
  Outcome outcome = launch(3, faultyRank(0, 0, killed));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.message, "");
}

// At collectives by chance, and by chance in one of three ways.
TEST(Launcher, ALostRankEndsTheOthers) {
  std::mt19937 random(7);
  for (int run = 0; run < 10; ++run) {
    uint32_t ranks = 2 + random() % 3, rank = random() % ranks;
    int at = 1 + random() % 50;
    SCOPED_TRACE(concat("rank ", rank, " of ", ranks, " at ", at));
    if (run % 3 == 0) {
      Outcome outcome = launch(ranks, faultyRank(rank, at, killed));
      EXPECT_EQ(outcome.code, kRankLost);
      EXPECT_EQ(outcome.message,
                concat("test: error: rank ", rank,
                       " was killed by signal 9 (Killed); ", waitFor(rank, at),
                       "; the other ranks were ended\n"));
      EXPECT_LT(outcome.seconds, 2);
    } else if (run % 3 == 1) {
      Outcome outcome = launch(ranks, faultyRank(rank, at, stopped), 0.5);
      EXPECT_EQ(outcome.code, kRankLost);
      EXPECT_EQ(outcome.message,
                concat("test: error: no rank has moved for 0.5 s: ",
                       waitFor(rank, at), ", rank ", rank,
                       " is stopped; all ranks were ended\n"));
      EXPECT_LT(outcome.seconds, 2);
    } else {
      Outcome outcome = launch(ranks, faultyRank(rank, at, thrown));
      EXPECT_EQ(outcome.code, int(ErrorKind::Internal));
      EXPECT_TRUE(outcome.message.starts_with(
          concat("test: error: rank ", rank, ": a thrown sentence; ",
                 waitFor(rank, at), "; the other ranks were ended")))
          << outcome.message;
      EXPECT_LT(outcome.seconds, 2);
    }
  }
}

// Killed by chance while others read its memory: their reads fail, and what is
// reported is the rank that is gone.
TEST(Launcher, ARankThatDiesInMidCopyIsLost) {
  std::mt19937 random(3);
  for (int run = 0; run < 6; ++run) {
    std::uniform_int_distribution<useconds_t> delay(0, 20000);
    const useconds_t pause = delay(random);
    Outcome outcome = launch(3, [=](Channel &channel, SharedWorld &) -> Status {
      constexpr uint64_t kBytes = uint64_t(16) << 20;
      std::vector<std::byte> data(3 * kBytes);
      DSC_RETURN_IF_ERROR(channel.barrier());
      if (channel.rank() == 1)
        std::thread([=] {
          usleep(pause);
          kill(getpid(), SIGKILL);
        }).detach();
      for (;;)
        DSC_RETURN_IF_ERROR(channel.allGather(
            data.data() + channel.rank() * kBytes, data.data(), kBytes));
    });
    EXPECT_EQ(outcome.code, kRankLost);
    EXPECT_TRUE(outcome.message.starts_with(
        "test: error: rank 1 was killed by signal 9 (Killed); "))
        << outcome.message;
    EXPECT_EQ(outcome.message.find('\n'), outcome.message.size() - 1);
    EXPECT_LT(outcome.seconds, 2);
  }
}

TEST(Launcher, ARankThatLeavesIsLost) {
  Outcome outcome = launch(2, faultyRank(1, 5, []() -> Status { _exit(0); }));
  EXPECT_EQ(outcome.code, kRankLost);
  EXPECT_EQ(outcome.message, "test: error: rank 1 exited with code 0; " +
                                 waitFor(1, 5) +
                                 "; the other ranks were ended\n");
  // In good order, but while others need it.
  outcome = launch(2, [](Channel &channel, SharedWorld &) {
    return channel.rank() == 0 ? channel.barrier() : Status();
  });
  EXPECT_EQ(outcome.code, kRankLost);
  EXPECT_EQ(outcome.message,
            "test: error: rank 1 exited with code 0, before the others were "
            "done; collective 1 (barrier of 0 bytes) waits for rank 1; the "
            "other ranks were ended\n");
}

TEST(Launcher, TheMissingPartnerOfAPairIsNamed) {
  Outcome outcome = launch(
      3,
      [](Channel &channel, SharedWorld &) -> Status {
        std::byte data[8];
        if (channel.rank() == 1)
          return channel.receive(2, data, 8);
        return channel.rank() == 2 ? stopped() : Status();
      },
      0.3);
  EXPECT_EQ(outcome.code, kRankLost);
  EXPECT_EQ(
      outcome.message,
      "test: error: no rank has moved for 0.3 s: collective 1 (receive of "
      "8 bytes) waits for rank 2, rank 2 is stopped; all ranks were "
      "ended\n");
}

TEST(Launcher, WhatIsWrongForAllIsSaidOnce) {
  Outcome outcome = launch(3, [](Channel &, SharedWorld &) {
    return inputError("there is no such file");
  });
  EXPECT_EQ(outcome.code, int(ErrorKind::Input));
  EXPECT_EQ(outcome.message, "test: error: there is no such file\n");
}

Manifest manifestWith(const std::string &hash, uint64_t bytes) {
  Manifest manifest;
  manifest.hash = hash;
  Manifest::Entry entry;
  entry.name = "step";
  entry.collectives = {{"gather", "fc1", "node 'a' (Gemm)", 40},
                       {"gather", "fc2", "", bytes}};
  manifest.entries = {entry};
  return manifest;
}

TEST(Rendezvous, RanksWithOtherModulesOrDataAreRefused) {
  auto meet = [](const std::string &hash, uint64_t bytes,
                 const std::string &data) {
    return launch(3,
                  [=](Channel &channel, SharedWorld &) {
                    bool isOther = channel.rank() == 2;
                    return meetRanks(channel,
                                     isOther ? manifestWith(hash, bytes)
                                             : manifestWith("h", 24),
                                     isOther ? data : "10 samples");
                  })
        .message;
  };
  EXPECT_EQ(meet("h", 24, "10 samples"), "");
  EXPECT_EQ(meet("i", 32, "10 samples"),
            "test: error: rank 2 has another module than rank 0; collective 2 "
            "of the list is gather of fc2 in 'step', 24 bytes for rank 0 and "
            "gather of fc2 in 'step', 32 bytes for rank 2\n");
  EXPECT_EQ(meet("i", 24, "10 samples"),
            "test: error: rank 2 has another module than rank 0; their lists "
            "of collectives are equal, and plan or options differ\n");
  EXPECT_EQ(meet("h", 24, "9 samples"),
            "test: error: rank 2 has other data than rank 0: 9 samples, not 10 "
            "samples\n");
}

TEST(Rendezvous, ComparesWhatRanksHave) {
  auto compare = [](const std::string &other) {
    return launch(3,
                  [=](Channel &channel, SharedWorld &) {
                    return compareRanks(channel, channel.rank() == 1
                                                     ? other
                                                     : "loss 1\nnorm 2\n");
                  })
        .message;
  };
  EXPECT_EQ(compare("loss 1\nnorm 2\n"), "");
  EXPECT_EQ(compare("loss 1\nnorm 3\n"),
            "test: error: rank 1 has norm 3 where rank 0 has norm 2\n");
  EXPECT_EQ(compare("loss 1\n"),
            "test: error: rank 1 has none where rank 0 has norm 2\n");
}

bool isRunning(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string id, name, state;
  return file >> id >> name >> state && state != "Z" && state != "X";
}

// Nothing can be cleaned up by a launcher that is killed: the ranks go with it.
TEST(Launcher, RanksDieWithTheirLauncher) {
  int ids[2];
  ASSERT_EQ(pipe(ids), 0);
  pid_t launcher = fork();
  if (launcher == 0)
    _exit(launchRanks({3, false, 600}, Log("test"),
                      [&](Channel &, SharedWorld &) {
                        pid_t self = getpid();
                        (void)!write(ids[1], &self, sizeof(self));
                        sleep(60);
                        return Status();
                      }));
  pid_t ranks[3];
  for (pid_t &rank : ranks)
    ASSERT_EQ(read(ids[0], &rank, sizeof(rank)), ssize_t(sizeof(rank)));
  for (pid_t rank : ranks)
    EXPECT_TRUE(isRunning(rank));
  kill(launcher, SIGKILL);
  waitpid(launcher, nullptr, 0);
  for (pid_t rank : ranks) {
    for (int i = 0; i < 200 && isRunning(rank); ++i)
      usleep(10000);
    EXPECT_FALSE(isRunning(rank));
  }
}

} // namespace
