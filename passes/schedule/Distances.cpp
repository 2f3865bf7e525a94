#include "passes/schedule/Distances.h"

using namespace mlir;
using namespace dsc;

namespace {

/// Where all takes no longer than so many times computation alone, there is no
/// more to hide that is worth a trial.
constexpr double kHidden = 1.002;

/// Beyond the end of every entry.
constexpr int64_t kFar = int64_t(1) << 40;

/// An exchange that is to be done at `deadline`, counted in computation.
struct Job {
  unsigned start;
  double seconds, deadline;
};

} // namespace

/// The last region that begins at `seconds` or earlier.
static unsigned findRegion(ArrayRef<double> begins, double seconds) {
  auto it = llvm::upper_bound(begins, seconds);
  return it == begins.begin() ? 0 : it - begins.begin() - 1;
}

/// Gathers start as late as they may if each takes `margin` times what it does.
static void chooseAhead(const EntryTrials &trials, const Trial &justInTime,
                        double margin, Decisions &decisions) {
  SmallVector<Job> jobs;
  for (auto [index, exchange] : llvm::enumerate(justInTime.exchanges)) {
    if (!exchange.exists)
      continue;
    double seconds = exchange.end - exchange.begin;
    jobs.push_back({unsigned(index), seconds,
                    trials.isGather(index)
                        ? justInTime.work[exchange.awaitRegion]
                        : justInTime.work[exchange.startRegion] + seconds});
  }
  llvm::sort(jobs, [](const Job &a, const Job &b) {
    return std::tie(a.deadline, a.start) > std::tie(b.deadline, b.start);
  });
  double end = justInTime.work.back();
  for (const Job &job : jobs) {
    end = std::min(end, job.deadline) - margin * job.seconds;
    if (!trials.isGather(job.start))
      continue;
    unsigned await = justInTime.exchanges[job.start].awaitRegion;
    unsigned start = std::min(findRegion(justInTime.work, end), await);
    decisions.distances[job.start] = await - start;
  }
}

/// Awaits stand behind what runs while their exchanges do.
static void chooseBehind(const EntryTrials &trials, const Trial &trial,
                         Decisions &decisions) {
  for (auto [index, exchange] : llvm::enumerate(trial.exchanges)) {
    if (!exchange.exists || decisions.distances[index] < kFar)
      continue;
    // The first region that begins when it is done; behind the last one, one
    // more than there are stands for the end.
    int64_t regions = trial.begins.size() - 1, start = exchange.startRegion;
    int64_t first =
        llvm::lower_bound(trial.begins, exchange.end) - trial.begins.begin();
    if (start == regions)
      first = start;
    else if (first >= regions)
      first = regions + 1;
    decisions.distances[index] = std::max<int64_t>(first - start, 0);
  }
}

/// Gathers start where they begin.
static void tighten(const EntryTrials &trials, const Trial &trial,
                    Decisions &decisions) {
  SmallVector<unsigned> order;
  for (unsigned index = 0; index < trial.exchanges.size(); ++index)
    if (trial.exchanges[index].exists)
      order.push_back(index);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::tie(trial.exchanges[a].begin, a) <
           std::tie(trial.exchanges[b].begin, b);
  });
  unsigned next = trial.begins.size() - 1;
  for (unsigned index : llvm::reverse(order)) {
    const TrialExchange &exchange = trial.exchanges[index];
    if (!trials.isGather(index)) {
      next = exchange.startRegion;
      continue;
    }
    unsigned start = std::min(
        {findRegion(trial.begins, exchange.begin), next, exchange.awaitRegion});
    start = std::max(start, exchange.startRegion);
    decisions.distances[index] = exchange.awaitRegion - start;
    next = start;
  }
}

std::optional<Decisions> dsc::chooseDistances(EntryTrials &trials,
                                              Decisions decisions) {
  unsigned count = decisions.distances.size();
  for (unsigned index = 0; index < count; ++index)
    decisions.distances[index] = 0;
  std::optional<Trial> justInTime = trials.run(decisions);
  if (!justInTime)
    return std::nullopt;

  Decisions best = decisions;
  double seconds = justInTime->seconds;
  auto keepIfBetter = [&](const Decisions &tried) -> std::optional<Trial> {
    std::optional<Trial> trial = trials.run(tried);
    if (trial && trial->seconds <= seconds) {
      best = tried;
      seconds = trial->seconds;
    }
    return trial;
  };
  for (double margin : {1.0, 1.5}) {
    Decisions tried = decisions;
    for (unsigned index = 0; index < count; ++index)
      if (!trials.isGather(index))
        tried.distances[index] = kFar;
    chooseAhead(trials, *justInTime, margin, tried);
    std::optional<Trial> trial = keepIfBetter(tried);
    if (!trial)
      return std::nullopt;
    chooseBehind(trials, *trial, tried);
    tighten(trials, *trial, tried);
    if (!keepIfBetter(tried))
      return std::nullopt;
    if (seconds <= justInTime->work.back() * kHidden)
      break;
  }
  return best;
}
