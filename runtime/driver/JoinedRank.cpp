#include "runtime/driver/JoinedRank.h"
#include "runtime/channel/SharedMemoryChannel.h"
#include "runtime/driver/Interrupt.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

constexpr timespec kTick = {0, 20'000'000};

/// How long the watch that speaks may take, until the others end without it.
constexpr auto kReportTime = std::chrono::milliseconds(1500);

/// A watch of one rank over all of them. It sees that a process has ended, not
/// how, as it did not start it.
class PeerWatch final : public RankWatch {
public:
  PeerWatch(const MeetingPlace &place, uint32_t rank,
            const LaunchOptions &options, const Log &log)
      : RankWatch(place.world, options.timeout, log), self(rank),
        listener(place.listener), peers(place.world->size()),
        signals(interruptSignals()) {
    // Before any thread starts, so that only the watch takes them.
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  }
  ~PeerWatch() override {
    for (const Peer &peer : peers)
      if (peer.handle >= 0)
        close(peer.handle);
  }

private:
  struct Peer {
    int handle = -1; ///< Becomes readable when the process ends.
    bool alive = true;
  };

  void interrupt(int signal);
  void look();
  void open(uint32_t rank);

  int wait() override;
  bool isOver() const override;
  bool isAlive(uint32_t rank) const override { return peers[rank].alive; }
  bool isStopped(uint32_t rank) const override;
  bool endedWell(uint32_t rank) const override {
    return world->slot(rank).ended.load() && !hasFailed(rank);
  }
  std::string causeOf(uint32_t rank) const override {
    return endedWell(rank) ? "has ended, before the others were done"
                           : "is gone";
  }
  bool mayReport() override;
  void endAll(int code) override;

  uint32_t self;
  int listener;
  std::vector<Peer> peers;
  sigset_t signals;
  bool interrupted = false;
};

void PeerWatch::interrupt(int signal) {
  // The training ends after its update; nothing else is worth waiting for. It
  // may have ended because of the signal that another rank was sent first.
  if ((world->slot(self).step.load() || world->interrupted().load()) &&
      !interrupted) {
    interrupted = true;
    if (world->interrupted().exchange(1) == 0)
      announceInterrupt();
    return;
  }
  std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  raise(signal);
}

void PeerWatch::open(uint32_t rank) {
  pid_t process = world->slot(rank).comer.load();
  peers[rank].handle = int(syscall(SYS_pidfd_open, process, 0));
  // Without a handle, for lack of files, this sees it when it is reaped.
  if (peers[rank].handle < 0 && kill(process, 0) != 0 && errno == ESRCH)
    peers[rank].alive = false;
}

/// Learns which processes have ended.
void PeerWatch::look() {
  for (uint32_t rank = 0; rank < peers.size(); ++rank) {
    Peer &peer = peers[rank];
    if (rank == self || !peer.alive)
      continue;
    if (peer.handle < 0)
      open(rank);
    pollfd entry = {peer.handle, POLLIN, 0}; // -1 is passed over.
    if (poll(&entry, 1, 0) > 0)
      peer.alive = false;
  }
}

int PeerWatch::wait() {
  int signal = sigtimedwait(&signals, nullptr, &kTick);
  if (signal > 0)
    interrupt(signal);
  if (listener >= 0)
    refuseLateComers(listener, world->size());
  look();
  return int(world->exitCode().load());
}

/// All have ended well: each stays until then, so that all agree on the code.
bool PeerWatch::isOver() const {
  for (uint32_t rank = 0; rank < world->size(); ++rank)
    if (!endedWell(rank))
      return false;
  return true;
}

bool PeerWatch::isStopped(uint32_t rank) const {
  std::ifstream file(concat("/proc/", world->slot(rank).comer.load(), "/stat"));
  std::string line;
  std::getline(file, line);
  size_t name = line.rfind(')'); // Which may hold anything.
  return name != std::string::npos && line.substr(name).starts_with(") T");
}

bool PeerWatch::mayReport() {
  uint32_t none = 0;
  if (world->reporter().compare_exchange_strong(none, self + 1))
    return true;
  auto end = std::chrono::steady_clock::now() + kReportTime;
  while (!world->exitCode().load() && std::chrono::steady_clock::now() < end)
    usleep(10000);
  return false;
}

void PeerWatch::endAll(int code) {
  // Each ends itself when it sees this, except for one that sees nothing.
  world->exitCode().store(uint32_t(code));
  for (uint32_t rank = 0; rank < peers.size(); ++rank)
    if (rank != self && peers[rank].alive && isStopped(rank))
      kill(world->slot(rank).comer.load(), SIGKILL);
}

/// A handle for each peer.
void allowOpenFiles(uint32_t ranks) {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
      limit.rlim_max - limit.rlim_cur == 0)
    return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur + ranks, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace

int dsc::runtime::runJoinedRank(const MeetingPlace &place, uint32_t rank,
                                const LaunchOptions &options, const Log &log,
                                const RankBody &body) {
  if (rank != 0)
    if (int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
      dup2(nowhere, STDOUT_FILENO);
  auto channel = SharedMemoryChannel::join(place.world, rank, options.spins);
  if (!channel.ok())
    return report(log, channel.status());
  allowOpenFiles(options.ranks);
  PeerWatch watch(place, rank, options, log);
  std::thread watcher([&] {
    // The rest of this process may wait for a rank that does not come.
    if (int code = watch.watch())
      _exit(code);
  });
  Status status = guard([&] { return body(**channel, *place.world); });
  std::fflush(stdout);
  publishEnd(place.world->slot(rank), status);
  watcher.join();
  return 0;
}
