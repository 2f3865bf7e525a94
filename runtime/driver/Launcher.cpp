#include "runtime/driver/Launcher.h"
#include "runtime/channel/SharedMemoryChannel.h"
#include "runtime/driver/Watchdog.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

using Clock = std::chrono::steady_clock;

constexpr timespec kTick = {0, 20'000'000};

/// How long the other ranks have, after one is gone, to come to where they miss
/// it or to fail as it did: for the message only.
constexpr auto kGrace = std::chrono::milliseconds(500);

/// A launcher that was itself suspended must not take that for a rank's fault.
constexpr double kLongestTick = 1;

const int kInterrupts[] = {SIGINT, SIGTERM, SIGHUP};

struct Process {
  pid_t id = 0;
  bool alive = false, stopped = false;
  int status = 0; ///< As waitpid gave it, when it is no longer alive.
};

class Launcher {
public:
  Launcher(const LaunchOptions &options, const Log &log, const RankBody &body,
           std::shared_ptr<SharedWorld> world)
      : options(options), log(log), body(body), world(std::move(world)),
        watchdog(*this->world), processes(options.ranks) {
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (int signal : kInterrupts)
      sigaddset(&signals, signal);
    sigprocmask(SIG_BLOCK, &signals, &oldSignals);
  }
  ~Launcher() {
    endAll();
    sigprocmask(SIG_SETMASK, &oldSignals, nullptr);
  }

  Status start();
  int watch();

private:
  [[noreturn]] void runRank(uint32_t rank, pid_t launcher);
  void look();
  void wait();
  void endAll();
  void interrupt(int signal);
  bool anyAlive() const;
  bool endedWell(uint32_t rank) const;
  bool hasFailed(uint32_t rank) const {
    return world->slot(rank).failure.load() != 0;
  }
  std::string causeOf(uint32_t rank) const;
  int reportLost(uint32_t rank);
  int reportFailure();
  int reportTimeout();
  /// The first dead rank that others miss, or one that did not end well.
  int findLost() const;

  const LaunchOptions &options;
  const Log &log;
  const RankBody &body;
  std::shared_ptr<SharedWorld> world;
  Watchdog watchdog;
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
  for (int signal : kInterrupts)
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
  RankSlot &slot = world->slot(rank);
  if (!status.ok()) {
    std::strncpy(slot.message, status.message().c_str(),
                 sizeof(slot.message) - 1);
    slot.failure.store(uint32_t(status.kind()));
  }
  slot.ended.store(1);
  _exit(status.ok() ? 0 : int(status.kind()));
}

/// Learns which ranks have ended or were stopped.
void Launcher::look() {
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
}

/// Sleeps until something happens, but not for long.
void Launcher::wait() {
  int signal = sigtimedwait(&signals, nullptr, &kTick);
  if (signal > 0 && signal != SIGCHLD)
    interrupt(signal);
  look();
}

void Launcher::interrupt(int signal) {
  // The training ends after its update; nothing else is worth waiting for.
  if (world->slot(0).step.load() && world->interrupted().exchange(1) == 0)
    return;
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

bool Launcher::anyAlive() const {
  return std::any_of(processes.begin(), processes.end(),
                     [](const Process &process) { return process.alive; });
}

bool Launcher::endedWell(uint32_t rank) const {
  return world->slot(rank).ended.load() && processes[rank].status == 0;
}

int Launcher::findLost() const {
  for (uint32_t rank = 0; rank < processes.size(); ++rank)
    if (!processes[rank].alive && !endedWell(rank) && !hasFailed(rank))
      return rank;
  // One that has left takes part in nothing any more.
  for (uint32_t rank : watchdog.missing())
    if (!processes[rank].alive && !hasFailed(rank))
      return rank;
  return -1;
}

int Launcher::watch() {
  Clock::time_point before = Clock::now();
  while (anyAlive()) {
    wait();
    if (int lost = findLost(); lost >= 0)
      return reportLost(lost);
    for (uint32_t rank = 0; rank < processes.size(); ++rank)
      if (hasFailed(rank))
        return reportFailure();
    Clock::time_point now = Clock::now();
    double seconds = std::chrono::duration<double>(now - before).count();
    before = now;
    bool anyStopped =
        std::any_of(processes.begin(), processes.end(),
                    [](const Process &process) { return process.stopped; });
    if (watchdog.secondsStalled(std::min(seconds, kLongestTick), anyStopped) >=
        options.timeout)
      return reportTimeout();
  }
  return 0;
}

/// What became of a rank.
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

int Launcher::reportLost(uint32_t lost) {
  // Until only the dead are missing: who is merely late is not named.
  auto isMissed = [&] {
    std::vector<uint32_t> missing = watchdog.missing();
    return !missing.empty() &&
           std::none_of(missing.begin(), missing.end(),
                        [&](uint32_t rank) { return processes[rank].alive; });
  };
  Clock::time_point end = Clock::now() + kGrace;
  while (Clock::now() < end && anyAlive() && !isMissed())
    wait();
  std::string place =
      isMissed() ? watchdog.describeWait() : watchdog.describeLast(lost);
  endAll();
  log.error(concat("rank ", lost, " ", causeOf(lost), "; ", place,
                   "; the other ranks were ended"));
  return kRankLost;
}

int Launcher::reportFailure() {
  // What is wrong with the input is wrong for all; that is said once.
  Clock::time_point end = Clock::now() + kGrace;
  auto allFailed = [&] {
    for (uint32_t rank = 0; rank < processes.size(); ++rank)
      if (!hasFailed(rank))
        return false;
    return true;
  };
  while (Clock::now() < end && anyAlive() && !allFailed())
    wait();
  bool all = allFailed();
  std::string place = watchdog.describeWait();
  endAll();
  uint32_t first = 0;
  while (!hasFailed(first))
    ++first;
  const RankSlot &slot = world->slot(first);
  std::string message = slot.message;
  if (!all && slot.step.load())
    message =
        concat("rank ", first, ": ", message, place.empty() ? "" : "; " + place,
               "; the other ranks were ended");
  return report(log, Status(ErrorKind(slot.failure.load()), message));
}

int Launcher::reportTimeout() {
  std::string place = watchdog.describeWait(), causes;
  for (uint32_t rank = 0; rank < processes.size(); ++rank)
    if (processes[rank].stopped)
      causes += concat(", rank ", rank, " is stopped");
  endAll();
  log.error(concat("no rank has moved for ", options.timeout,
                   " s: ", place.empty() ? "none is in a collective" : place,
                   causes, "; all ranks were ended"));
  return kRankLost;
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

int dsc::runtime::report(const Log &log, const Status &status) {
  if (status.ok())
    return 0;
  std::string hint = status.kind() == ErrorKind::Usage ? "; see --help" : "";
  if (status.kind() == ErrorKind::Internal)
    hint = "; this is a defect of dsc, please report it with the module and "
           "this command line";
  log.error(status.message() + hint);
  return int(status.kind());
}

Status dsc::runtime::guard(const std::function<Status()> &body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return inputError("out of memory");
  } catch (const std::exception &error) {
    return internalError(error.what());
  }
}
