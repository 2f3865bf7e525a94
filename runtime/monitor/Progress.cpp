#include "runtime/monitor/Progress.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

/// Weight of the newest step in recent averages: half of it is gone after
/// seven.
constexpr double kNewest = 0.1;

void addRecent(double &average, double value, bool isFirst) {
  average = isFirst ? value : (1 - kNewest) * average + kNewest * value;
}

/// Columns of the terminal, which may change while the line is shown.
size_t terminalColumns() {
  struct winsize size = {};
  constexpr size_t kUsual = 80;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return kUsual;
  return size.ws_col;
}

template <typename... Values>
std::string format(const char *pattern, Values... values) {
  char text[128];
  std::snprintf(text, sizeof(text), pattern, values...);
  return text;
}

} // namespace

double dsc::runtime::peakMebibytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024.0; // In KiB on Linux.
}

std::string dsc::runtime::clockText(double seconds) {
  constexpr double kLongest = 3.6e9; // A million hours.
  auto whole =
      static_cast<unsigned long long>(std::ceil(std::min(seconds, kLongest)));
  if (whole >= 3600)
    return format("%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60,
                  whole % 60);
  return format("%llu:%02llu", whole / 60, whole % 60);
}

std::string dsc::runtime::durationText(double seconds) {
  return seconds >= 60 ? clockText(seconds) : format("%.2f s", seconds);
}

Progress::Progress(const ProgressOptions &options)
    : options(options), redraws(::isatty(STDOUT_FILENO) &&
                                !options.stepsPerPrint && !options.breakdown) {}

/// Whether this update is shown.
bool Progress::isDue(const StepReport &report) {
  bool isLast = report.step == options.totalSteps;
  if (options.stepsPerPrint)
    return isLast || report.step % options.stepsPerPrint == 0;
  Clock::time_point now = Clock::now();
  auto interval = std::chrono::milliseconds(redraws ? 100 : 1000);
  if (steps > 1 && !isLast && now - lastShown < interval)
    return false;
  lastShown = now;
  return true;
}

/// The line, the most important first.
std::string Progress::describe(const StepReport &report) const {
  double rate = recentSeconds > 0
                    ? recentSamples * options.unitsPerSample / recentSeconds
                    : 0;
  double left = double(options.totalSteps - report.step) * recentSeconds;
  return format("step %" PRIu64 "/%" PRIu64, report.step, options.totalSteps) +
         format("  loss %.6g  lr %.4g  norm %.4g  ", report.loss,
                report.learningRate, report.gradientNorm) +
         textOfRate(rate) + "  " + clockText(left) + " left" +
         format("  peak RSS %.0f MiB", peakMebibytes());
}

/// As many of the line's fields as fit the terminal.
void Progress::redraw(const std::string &line) {
  // A line that fills the last column wraps on some terminals.
  size_t width = terminalColumns() - 1, end = line.size();
  while (end > width) {
    size_t field = line.rfind("  ", end - 1);
    end = field == std::string::npos ? width : field;
  }
  std::printf("\r\033[K%.*s", int(end), line.c_str());
  lineOpen = true;
}

/// Where the time of the updates since the last line went.
void Progress::printBreakdown() {
  auto mean = [&](double seconds) { return seconds / times.steps * 1000; };
  // To the microsecond: small models take few of them.
  std::printf("  ms an update: data %.3f, step %.3f, update %.3f, evaluation "
              "%.3f, save %.3f\n",
              mean(times.data), mean(times.step), mean(times.update),
              mean(times.evaluation), mean(times.save));
  times = {};
}

Status Progress::onUpdate(const StepReport &report) {
  ++steps;
  samples += report.batchSamples;
  trainedSeconds += report.seconds;
  lastLoss = report.loss;
  addRecent(recentSeconds, report.seconds, steps == 1);
  addRecent(recentSamples, report.batchSamples, steps == 1);
  ++times.steps;
  times.data += report.dataSeconds;
  times.step += report.stepSeconds;
  times.update += report.updateSeconds;
  if (!isDue(report))
    return {};
  if (redraws)
    redraw(describe(report));
  else
    std::printf("%s\n", describe(report).c_str());
  if (options.breakdown)
    printBreakdown();
  std::fflush(stdout);
  return {};
}

Status Progress::onEvaluation(const EvalReport &report) {
  times.evaluation += report.seconds;
  endLine();
  std::printf("eval: step %" PRIu64 "  loss %.6g", report.step, report.loss);
  if (report.accuracy)
    std::printf("  accuracy %.2f%% (%.0f of %.0f)", *report.accuracy * 100,
                report.correct, report.weight);
  std::printf("\n");
  return {};
}

Status Progress::onSave(const SaveReport &report) {
  times.save += report.stallSeconds;
  return {};
}

Status Progress::close() {
  endLine();
  return {};
}

void Progress::endLine() {
  if (lineOpen)
    std::printf("\n");
  lineOpen = false;
  std::fflush(stdout);
}

std::string Progress::textOfRate(double unitsPerSecond) const {
  return format("%.0f %s/s", unitsPerSecond, options.unit);
}

void Progress::summarise() {
  endLine();
  if (!steps)
    return;
  double units = double(samples) * options.unitsPerSample;
  std::printf(
      "trained %" PRIu64 " steps in %s, %s, loss %.6g\n", steps,
      durationText(trainedSeconds).c_str(),
      textOfRate(trainedSeconds > 0 ? units / trainedSeconds : 0).c_str(),
      lastLoss);
}
