#ifndef DSC_RUNTIME_DRIVER_RANKWATCH_H
#define DSC_RUNTIME_DRIVER_RANKWATCH_H

#include "runtime/base/Log.h"
#include "runtime/driver/Watchdog.h"

#include <memory>

namespace dsc::runtime {

/// Exit code of a run that lost a rank.
constexpr int kRankLost = 4;

/// Watches over ranks, and when one is lost, fails, or hangs for the timeout,
/// ends the others and says in one message where. Who watches, and what it
/// knows of a rank's process, is the derived class's.
class RankWatch {
public:
  /// `timeout`: seconds that ranks may wait while none of them moves.
  RankWatch(std::shared_ptr<SharedWorld> world, double timeout, const Log &log)
      : world(std::move(world)), watchdog(*this->world), timeout(timeout),
        log(log) {}
  virtual ~RankWatch() = default;
  RankWatch(const RankWatch &) = delete;
  RankWatch &operator=(const RankWatch &) = delete;

  /// Returns when all ranks have ended, with the exit code of the run.
  int watch();

protected:
  /// Sleeps until something happens, but not for long, and looks at the
  /// processes. Returns an exit code if another watch has decided, else 0.
  virtual int wait() = 0;
  /// Whether nothing is left to watch.
  virtual bool isOver() const = 0;
  virtual bool isAlive(uint32_t rank) const = 0;
  virtual bool isStopped(uint32_t rank) const = 0;
  /// What became of a rank that does not go on: `exited with code 1`.
  virtual std::string causeOf(uint32_t rank) const = 0;
  virtual bool endedWell(uint32_t rank) const = 0;
  /// Whether this watch speaks; of several only one does.
  virtual bool mayReport() { return true; }
  /// Ends all ranks, or what is left of them, before the run exits with `code`.
  virtual void endAll(int code) = 0;

  bool hasFailed(uint32_t rank) const {
    return world->slot(rank).failure.load() != 0;
  }

  std::shared_ptr<SharedWorld> world;

private:
  int findLost() const;
  bool allFailed() const;
  bool anyAlive() const;
  template <typename Done> int waitForGrace(Done done);
  int report(int code, const std::string &message);
  int reportLost(uint32_t rank);
  int reportFailure();
  int reportTimeout();

  Watchdog watchdog;
  double timeout;
  const Log &log;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_RANKWATCH_H
