#include "runtime/monitor/Progress.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <unistd.h>

using namespace dsc::runtime;

std::string dsc::runtime::clockText(double seconds) {
  auto whole = static_cast<unsigned long long>(std::ceil(seconds));
  char text[48];
  if (whole >= 3600)
    std::snprintf(text, sizeof(text), "%llu:%02llu:%02llu", whole / 3600,
                  whole / 60 % 60, whole % 60);
  else
    std::snprintf(text, sizeof(text), "%llu:%02llu", whole / 60, whole % 60);
  return text;
}

std::string dsc::runtime::durationText(double seconds) {
  if (seconds >= 60)
    return clockText(seconds);
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f s", seconds);
  return text;
}

Progress::Progress(uint64_t totalSteps, uint64_t unitsPerStep, std::string unit)
    : totalSteps(totalSteps), unitsPerStep(unitsPerStep), unit(std::move(unit)),
      terminal(::isatty(STDOUT_FILENO)) {}

void Progress::report(const StepReport &report) {
  ++steps;
  trainedSeconds += report.seconds;
  // The weight of the past halves every seven steps or so.
  recentSeconds =
      steps == 1 ? report.seconds : 0.9 * recentSeconds + 0.1 * report.seconds;
  Clock::time_point now = Clock::now();
  auto interval = terminal ? std::chrono::milliseconds(100)
                           : std::chrono::milliseconds(1000);
  bool ends = steps == 1 || report.step == totalSteps;
  if (!ends && now - lastShown < interval)
    return;
  lastShown = now;
  double rate = recentSeconds > 0 ? double(unitsPerStep) / recentSeconds : 0;
  double left = double(totalSteps - report.step) * recentSeconds;
  std::printf("%sstep %" PRIu64 "/%" PRIu64
              "  loss %.6g  lr %.4g  %s  %s left%s",
              terminal ? "\r\033[K" : "", report.step, totalSteps, report.loss,
              report.learningRate, textOfRate(rate).c_str(),
              clockText(left).c_str(), terminal ? "" : "\n");
  std::fflush(stdout);
  lineOpen = terminal;
}

void Progress::endLine() {
  if (lineOpen)
    std::printf("\n");
  lineOpen = false;
}

std::string Progress::textOfRate(double unitsPerSecond) const {
  char text[48];
  std::snprintf(text, sizeof(text), "%.0f ", unitsPerSecond);
  return text + unit + "/s";
}

std::string Progress::rateText() const {
  return textOfRate(
      trainedSeconds > 0 ? double(steps * unitsPerStep) / trainedSeconds : 0);
}
