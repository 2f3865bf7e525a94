#include "runtime/driver/Launcher.h"
#include "runtime/channel/SharedMemoryChannel.h"
#include "runtime/driver/Interrupt.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

constexpr timespec kTick = {0, 20'000'000};

struct Process {
  pid_t id = 0;
  bool alive = false, stopped = false;
  int status = 0; ///< As waitpid gave it, when it is no longer alive.
};

class Launcher final : public RankWatch {
public:
  Launcher(const LaunchOptions &options, const Log &log, const RankBody &body,
           std::shared_ptr<SharedWorld> world)
      : RankWatch(std::move(world), options.timeout, log), options(options),
        body(body), processes(options.ranks), signals(interruptSignals()) {
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, &oldSignals);
  }
  ~Launcher() override {
    endAll();
    sigprocmask(SIG_SETMASK, &oldSignals, nullptr);
  }

  Status start();

private:
  [[noreturn]] void runRank(uint32_t rank, pid_t launcher);
  void interrupt(int signal);
  void endAll();

  int wait() override;
  bool isOver() const override;
  bool isAlive(uint32_t rank) const override { return processes[rank].alive; }
  bool isStopped(uint32_t rank) const override {
    return processes[rank].stopped;
  }
  bool endedWell(uint32_t rank) const override {
    return world->slot(rank).ended.load() && processes[rank].status == 0;
  }
  std::string causeOf(uint32_t rank) const override;
  void endAll(int) override { endAll(); }

  const LaunchOptions &options;
  const RankBody &body;
  std::vector<Process> processes;
  sigset_t signals, oldSignals;
};

Status Launcher::start() {
  std::fflush(nullptr); // What is buffered would be written by every rank.
  const pid_t launcher = getpid();
  for (uint32_t rank = 0; rank < options.ranks; ++rank) {
    pid_t child = fork();
    if (child < 0)
      return inputError("cannot start rank ", rank, " of ", options.ranks, ": ",
                        errnoText(errno));
    if (child == 0)
      runRank(rank, launcher);
    processes[rank].id = child;
    processes[rank].alive = true;
  }
  return {};
}

void Launcher::runRank(uint32_t rank, pid_t launcher) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) // It died before it could be tied to this.
    _exit(kRankLost);
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, SIG_IGN); // The launcher hears them for all.
  sigprocmask(SIG_SETMASK, &oldSignals, nullptr);
  if (rank != 0)
    if (int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0)
      dup2(nowhere, STDOUT_FILENO);

  Status status = guard([&]() -> Status {
    DSC_ASSIGN(auto channel,
               SharedMemoryChannel::join(world, rank, options.spins));
    return body(*channel, *world);
  });
  std::fflush(stdout);
  publishEnd(world->slot(rank), status);
  _exit(status.ok() ? 0 : int(status.kind()));
}

/// Sleeps, and learns which ranks have ended or were stopped.
int Launcher::wait() {
  int signal = sigtimedwait(&signals, nullptr, &kTick);
  if (signal > 0 && signal != SIGCHLD)
    interrupt(signal);
  for (Process &process : processes) {
    int status;
    while (process.alive &&
           waitpid(process.id, &status, WNOHANG | WUNTRACED | WCONTINUED) > 0) {
      process.stopped = WIFSTOPPED(status);
      if (WIFEXITED(status) || WIFSIGNALED(status)) {
        process.alive = false;
        process.status = status;
      }
    }
  }
  return 0;
}

void Launcher::interrupt(int signal) {
  // The training ends after its update; nothing else is worth waiting for.
  if (world->slot(0).step.load() && world->interrupted().exchange(1) == 0) {
    announceInterrupt();
    return;
  }
  endAll();
  std::signal(signal, SIG_DFL);
  sigprocmask(SIG_SETMASK, &oldSignals, nullptr);
  raise(signal);
}

void Launcher::endAll() {
  for (Process &process : processes)
    if (process.alive)
      kill(process.id, SIGKILL);
  for (Process &process : processes)
    while (process.alive)
      if (waitpid(process.id, &process.status, 0) > 0 || errno == ECHILD)
        process.alive = false;
}

bool Launcher::isOver() const {
  return std::none_of(processes.begin(), processes.end(),
                      [](const Process &process) { return process.alive; });
}

std::string Launcher::causeOf(uint32_t rank) const {
  int status = processes[rank].status;
  if (processes[rank].alive)
    return processes[rank].stopped ? "is stopped" : "does not answer";
  if (WIFSIGNALED(status))
    return concat("was killed by signal ", WTERMSIG(status), " (",
                  strsignal(WTERMSIG(status)), ")");
  return concat("exited with code ", WEXITSTATUS(status),
                endedWell(rank) ? ", before the others were done" : "");
}

} // namespace

int dsc::runtime::launchRanks(const LaunchOptions &options, const Log &log,
                              const RankBody &body) {
  Result<std::shared_ptr<SharedWorld>> world =
      SharedWorld::create(options.ranks);
  if (!world.ok())
    return report(log, world.status());
  Launcher launcher(options, log, body, *world);
  if (Status status = launcher.start(); !status.ok())
    return report(log, status);
  return launcher.watch();
}
