#include "passes/schedule/DecideEntry.h"

#include "passes/schedule/Distances.h"

using namespace mlir;
using namespace dsc;

namespace {

/// Times that differ by less are equal.
constexpr double kTolerance = 1e-9;
/// What a phase may try at least; more as long as the operations of what is
/// tried are few.
constexpr unsigned kPhaseTrials = 6, kPhaseOperations = 40000;
/// Operations that are tried to improve a small entry by single changes.
constexpr unsigned kImproveOperations = 60000;

/// One decision that is made otherwise.
struct Change {
  enum class Kind { Reuse, Distance, Recompute, Join } kind;
  unsigned index;
  int64_t value;
  double gain = 0; ///< Seconds a byte.

  void apply(Decisions &decisions) const {
    if (kind == Kind::Reuse)
      decisions.reuses[index] = value;
    else if (kind == Kind::Distance)
      decisions.distances[index] = value;
    else if (kind == Kind::Join)
      decisions.joins[index] = value;
    else
      decisions.recomputes[index] = value;
  }
};

class Decider {
public:
  Decider(EntryTrials &trials, const ScheduleOptions &options,
          std::optional<int64_t> limit)
      : trials(trials), options(options), limit(limit) {}

  std::optional<EntryDecision> run();

private:
  bool start();
  void buyKeeping();
  void buyDistances();
  void buyJoins();
  void buyKeptActivations();
  void returnKeeping(ArrayRef<unsigned> kept);
  void improve();

  /// What a trial exceeds; empty if nothing.
  StringRef getExcess(const Trial &trial) const;
  bool fits(const Trial &trial) const { return getExcess(trial).empty(); }
  void refuse(const Change &change);
  void beginPhase();
  /// Takes `decisions` if they fit and are better by time, or, with `frugal`,
  /// no worse by time and better by memory.
  bool take(const Decisions &decisions, bool frugal = false);
  void buy(ArrayRef<Change> changes);
  SmallVector<Change> getReuses() const;
  SmallVector<Change> getChanges() const;

  EntryTrials &trials;
  const ScheduleOptions &options;
  std::optional<int64_t> limit;
  unsigned lastTrial = 0; ///< Of the phase.
  StringRef excess;       ///< Of the last decisions that were not taken.
  EntryDecision current;
};

} // namespace

std::optional<EntryDecision> dsc::decideEntry(EntryTrials &trials,
                                              const ScheduleOptions &options,
                                              std::optional<int64_t> limit) {
  return Decider(trials, options, limit).run();
}

std::optional<EntryDecision> Decider::run() {
  if (!start())
    return std::nullopt;
  if (!fits(current.trial))
    return current;
  buyKeeping();
  if (options.overlap)
    buyDistances();
  buyJoins();
  buyKeptActivations();
  SmallVector<unsigned> kept;
  for (unsigned index = 0; index < trials.getStarts().size(); ++index)
    if (current.decisions.reuses[index])
      kept.push_back(index);
  beginPhase();
  returnKeeping(kept);
  // Computation that is no longer there hides nothing.
  if (options.overlap && !trials.getCandidates().empty())
    buyDistances();
  improve();
  return current;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// What the least memory needs is always allowed.
StringRef Decider::getExcess(const Trial &trial) const {
  auto exceeds = [](std::optional<int64_t> bound, int64_t value,
                    int64_t least) {
    return bound && value > std::max(*bound, least);
  };
  if (limit && trial.bytes > *limit)
    return "the memory limit";
  if (exceeds(options.bounds.prefetchElements, trial.aheadElements,
              current.least.aheadElements))
    return "the prefetch bucket size";
  if (exceeds(options.bounds.liveElements, trial.liveElements,
              current.least.liveElements))
    return "the bound of live parameters";
  return "";
}

bool Decider::take(const Decisions &decisions, bool frugal) {
  std::optional<Trial> trial = trials.run(decisions);
  if (!trial)
    return false;
  excess = getExcess(*trial);
  if (!excess.empty())
    return false;
  double now = current.trial.seconds;
  bool isFaster = trial->seconds < now * (1 - kTolerance);
  bool isSmaller = trial->seconds <= now * (1 + kTolerance) &&
                   trial->bytes < current.trial.bytes;
  if (!isFaster && !(frugal && isSmaller))
    return false;
  current.decisions = decisions;
  current.trial = std::move(*trial);
  return true;
}

bool Decider::start() {
  Decisions none = trials.getNone();
  std::optional<Trial> trial = trials.run(none);
  if (!trial)
    return false;
  current.decisions = none;
  current.trial = current.least = *trial;
  current.refusedExchanges.resize(none.distances.size());
  current.refusedCandidates.resize(none.recomputes.size());
  Decisions recomputed = none;
  llvm::fill(recomputed.recomputes, true);
  if (!limit || trials.getCandidates().empty())
    return true;
  trial = trials.run(recomputed);
  if (trial && trial->bytes < current.trial.bytes) {
    current.decisions = recomputed;
    current.trial = current.least = *trial;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

void Decider::beginPhase() {
  lastTrial =
      trials.getCount() +
      std::max(kPhaseTrials, kPhaseOperations / trials.getOperationCount());
}

void Decider::refuse(const Change &change) {
  if (change.kind == Change::Kind::Join)
    return;
  auto &list = change.kind == Change::Kind::Recompute
                   ? current.refusedCandidates
                   : current.refusedExchanges;
  list[change.index] = excess;
}

/// Takes all of the changes, or those of parts of the list.
void Decider::buy(ArrayRef<Change> changes) {
  if (changes.empty() || trials.getCount() >= lastTrial)
    return;
  Decisions decisions = current.decisions;
  for (const Change &change : changes)
    change.apply(decisions);
  if (take(decisions))
    return;
  if (changes.size() == 1 || trials.getCount() >= lastTrial) {
    for (const Change &change : changes)
      refuse(change);
    return;
  }
  size_t half = changes.size() / 2;
  buy(changes.take_front(half));
  buy(changes.drop_front(half));
}

static void sortByGain(SmallVectorImpl<Change> &changes) {
  llvm::sort(changes, [](const Change &a, const Change &b) {
    return a.gain != b.gain ? a.gain > b.gain : a.index < b.index;
  });
}

/// Gathers that may take what the previous one of their group brought.
SmallVector<Change> Decider::getReuses() const {
  ArrayRef<Operation *> starts = trials.getStarts();
  // Elements of all gathers so far, and up to the last one of a group.
  int64_t seen = 0;
  llvm::DenseMap<Attribute, int64_t> last;
  SmallVector<Change> changes;
  for (auto [index, start] : llvm::enumerate(starts)) {
    auto gather = dyn_cast<zero::GatherStartOp>(start);
    if (!gather)
      continue;
    int64_t elements = trials.getElements(index);
    auto [it, isFirst] = last.try_emplace(gather.getGroupAttr(), 0);
    int64_t between = seen - it->second;
    seen += elements;
    it->second = seen;
    if (isFirst || (options.bounds.reuseDistance &&
                    between >= *options.bounds.reuseDistance))
      continue;
    const TrialExchange &exchange = current.least.exchanges[index];
    changes.push_back({Change::Kind::Reuse, unsigned(index), true,
                       (exchange.end - exchange.begin) /
                           double(std::max(elements, int64_t(1)))});
  }
  sortByGain(changes);
  return changes;
}

void Decider::buyKeeping() {
  beginPhase();
  buy(getReuses());
}

void Decider::buyDistances() {
  std::optional<Decisions> wanted = chooseDistances(trials, current.decisions);
  if (!wanted)
    return;
  beginPhase();
  // The whole of it replaces what there is; parts of it are added.
  if (take(*wanted, /*frugal=*/true))
    return;
  SmallVector<Change> changes;
  for (auto [index, distance] : llvm::enumerate(wanted->distances)) {
    const TrialExchange &exchange = current.trial.exchanges[index];
    if (distance == current.decisions.distances[index] || !exchange.exists)
      continue;
    double elements = std::max<double>(trials.getElements(index), 1);
    changes.push_back({Change::Kind::Distance, unsigned(index), distance,
                       (exchange.end - exchange.begin) / elements});
  }
  sortByGain(changes);
  buy(changes);
}

/// Messages take what follows one another, up to their bounds.
void Decider::buyJoins() {
  beginPhase();
  SmallVector<Change> changes;
  for (auto [index, exchange] : llvm::enumerate(current.trial.exchanges))
    if (exchange.exists && !current.decisions.joins[index])
      changes.push_back({Change::Kind::Join, unsigned(index), true});
  buy(changes);
  // The first of each message joins none.
  for (auto [index, exchange] : llvm::enumerate(current.trial.exchanges))
    current.decisions.joins[index] = exchange.joined;
}

void Decider::buyKeptActivations() {
  beginPhase();
  SmallVector<Change> changes;
  for (auto [index, candidate] : llvm::enumerate(trials.getCandidates())) {
    if (!current.decisions.recomputes[index])
      continue;
    double seconds = 0;
    for (nn::FusionOp region : candidate.regions)
      seconds += options.cost.getRegionSeconds(region->getRegion(0).front(),
                                               [](Value) { return 1; });
    changes.push_back(
        {Change::Kind::Recompute, unsigned(index), false,
         seconds / double(std::max(candidate.bytes, int64_t(1)))});
  }
  sortByGain(changes);
  buy(changes);
}

/// Gathers those of `kept` again that cost no time, now that gathers overlap.
void Decider::returnKeeping(ArrayRef<unsigned> kept) {
  if (kept.empty() || trials.getCount() >= lastTrial)
    return;
  Decisions decisions = current.decisions;
  for (unsigned index : kept)
    decisions.reuses[index] = false;
  std::optional<Decisions> tried = decisions;
  if (options.overlap)
    tried = chooseDistances(trials, decisions);
  if ((tried && take(*tried, /*frugal=*/true)) || kept.size() == 1)
    return;
  returnKeeping(kept.take_front(kept.size() / 2));
  returnKeeping(kept.drop_front(kept.size() / 2));
}

/// What may be decided otherwise, one at a time.
SmallVector<Change> Decider::getChanges() const {
  const Decisions &now = current.decisions;
  SmallVector<Change> changes;
  for (const Change &change : getReuses())
    changes.push_back({change.kind, change.index, !now.reuses[change.index]});
  for (unsigned index = 0; index < trials.getCandidates().size(); ++index)
    changes.push_back({Change::Kind::Recompute, index, !now.recomputes[index]});
  for (unsigned index = 0; index < trials.getStarts().size(); ++index) {
    if (!current.trial.exchanges[index].exists)
      continue;
    if (now.joins[index])
      changes.push_back({Change::Kind::Join, index, false});
    if (!options.overlap)
      continue;
    int64_t distance = now.distances[index];
    for (int64_t other :
         {distance - 1, distance + 1, distance + 2, distance / 2, int64_t(0)})
      if (other >= 0 && other != distance)
        changes.push_back({Change::Kind::Distance, index, other});
  }
  return changes;
}

/// Makes single decisions otherwise, as long as that helps.
void Decider::improve() {
  lastTrial =
      trials.getCount() + kImproveOperations / trials.getOperationCount();
  bool improved = true;
  while (improved) {
    improved = false;
    for (const Change &change : getChanges()) {
      if (trials.getCount() >= lastTrial)
        return;
      Decisions decisions = current.decisions;
      change.apply(decisions);
      improved |= take(decisions, /*frugal=*/true);
    }
  }
}
