#ifndef DSC_RUNTIME_MONITOR_PROGRESS_H
#define DSC_RUNTIME_MONITOR_PROGRESS_H

#include "runtime/monitor/Metrics.h"

#include <chrono>

namespace dsc::runtime {

/// Shows how training goes on standard output: one line that is redrawn on a
/// terminal; elsewhere a plain line for the first update, the last, and at most
/// one a second in between.
class Progress {
public:
  /// `unit` is what a step takes `unitsPerStep` of, such as samples.
  Progress(uint64_t totalSteps, uint64_t unitsPerStep, std::string unit);

  void report(const StepReport &report);

  /// Ends the redrawn line, before anything else is printed.
  void endLine();

  /// `12345 samples/s`, over the whole run.
  std::string rateText() const;
  double seconds() const { return trainedSeconds; }

private:
  using Clock = std::chrono::steady_clock;

  std::string textOfRate(double unitsPerSecond) const;

  uint64_t totalSteps, unitsPerStep;
  std::string unit;
  bool terminal;
  bool lineOpen = false;
  uint64_t steps = 0;
  double trainedSeconds = 0;
  double recentSeconds = 0; ///< A step, averaged over the last few.
  Clock::time_point lastShown;
};

/// `1:02:03`, `2:03` or `0:03`.
std::string clockText(double seconds);

/// `0.34 s` below a minute, else as a clock shows it.
std::string durationText(double seconds);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MONITOR_PROGRESS_H
