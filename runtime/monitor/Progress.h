#ifndef DSC_RUNTIME_MONITOR_PROGRESS_H
#define DSC_RUNTIME_MONITOR_PROGRESS_H

#include "runtime/monitor/Monitor.h"

#include <chrono>
#include <string>

namespace dsc::runtime {

struct ProgressOptions {
  uint64_t totalSteps = 0;
  uint64_t unitsPerSample = 1;
  const char *unit = "samples"; ///< Counted in the rate.
  /// A plain line for every so many updates; 0: by time.
  uint64_t stepsPerPrint = 0;
  bool breakdown = false; ///< Below each plain line, where the time went.
};

/// Shows how training goes on standard output: one line that is redrawn on a
/// terminal, never wider than it; elsewhere a plain line for the first update,
/// the last, and at most one a second in between. Both only by time: with
/// stepsPerPrint or breakdown, lines are plain on a terminal too.
class Progress : public Monitor {
public:
  explicit Progress(const ProgressOptions &options);

  Status onUpdate(const StepReport &report) override;
  Status onEvaluation(const EvalReport &report) override;
  Status onSave(const SaveReport &report) override;
  Status close() override;

  /// Ends the redrawn line, before anything else is printed.
  void endLine();

  /// Says how much was trained in all, if anything was.
  void summarise();

private:
  using Clock = std::chrono::steady_clock;

  /// Seconds since the last plain line, and what they went to.
  struct Times {
    uint64_t steps = 0;
    double data = 0, step = 0, update = 0, evaluation = 0, save = 0;
  };

  bool isDue(const StepReport &report);
  void redraw(const std::string &line);
  void printBreakdown();
  std::string describe(const StepReport &report) const;
  std::string textOfRate(double unitsPerSecond) const;

  ProgressOptions options;
  bool redraws;
  bool lineOpen = false;
  uint64_t steps = 0, samples = 0; ///< Of this run.
  double trainedSeconds = 0, lastLoss = 0;
  double recentSeconds = 0; ///< A step, averaged over the last few.
  double recentSamples = 0; ///< The same.
  Times times;
  Clock::time_point lastShown;
};

/// The most memory, in MiB, that this process has had resident so far.
double peakMebibytes();

/// `1:02:03`, `2:03` or `0:03`.
std::string clockText(double seconds);

/// `0.34 s` below a minute, else as a clock shows it.
std::string durationText(double seconds);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MONITOR_PROGRESS_H
