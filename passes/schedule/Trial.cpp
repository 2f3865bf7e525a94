#include "passes/schedule/Trial.h"

#include "passes/schedule/ApplyDecisions.h"
#include "passes/schedule/EntryOrder.h"
#include "passes/schedule/KeepGathered.h"
#include "passes/schedule/MoveCollectives.h"
#include "passes/schedule/Recompute.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace dsc;

static SmallVector<Operation *> collectStarts(train::EntryOp entry) {
  SmallVector<Operation *> starts;
  for (Operation &op : entry.getBody().front())
    if (isStart(&op) && getAwait(&op))
      starts.push_back(&op);
  return starts;
}

EntryTrials::EntryTrials(train::EntryOp entry, const StateMap &states,
                         const ScheduleOptions &options)
    : entry(entry), states(states), options(options),
      starts(collectStarts(entry)) {
  for (Operation *start : starts) {
    int64_t sum = 0;
    auto collective = dyn_cast<zero::CollectiveOpInterface>(start);
    FlatSymbolRefAttr name =
        collective ? collective.getCollectiveGroup() : FlatSymbolRefAttr();
    if (zero::GroupOp group =
            name ? states.getGroup(name.getAttr()) : zero::GroupOp())
      sum = group.getElements();
    elements.push_back(sum);
  }
  if (options.recompute != ScheduleOptions::Recompute::Auto)
    return;
  candidates = collectRecomputable(entry, states);
  llvm::DenseMap<Operation *, unsigned> ordinals;
  for (auto region : entry.getBody().front().getOps<nn::FusionOp>())
    ordinals.try_emplace(region, ordinals.size());
  for (const RecomputeCandidate &candidate : candidates) {
    auto &list = candidateRegions.emplace_back();
    for (nn::FusionOp region : candidate.regions)
      list.push_back(ordinals.lookup(region));
  }
}

bool EntryTrials::isGather(unsigned start) const {
  return starts[start]->getNumOperands() == 0 &&
         getAwait(starts[start])->getNumResults() != 0;
}

Decisions EntryTrials::getNone() const {
  Decisions none;
  none.reuses.assign(starts.size(), false);
  none.distances.assign(starts.size(), 0);
  none.recomputes.assign(candidates.size(), false);
  none.joins.assign(starts.size(), false);
  return none;
}

void EntryTrials::annotate(train::EntryOp target,
                           const Decisions &decisions) const {
  Builder builder(target.getContext());
  SmallVector<Operation *> targets = collectStarts(target);
  for (auto [index, start] : llvm::enumerate(targets)) {
    if (decisions.reuses[index])
      start->setAttr(kReuseAttr, builder.getUnitAttr());
    if (decisions.joins[index])
      start->setAttr(zero::kJoinAttrName, builder.getUnitAttr());
    if (int64_t distance = decisions.distances[index])
      start->setAttr(getAwait(start)->getNumResults() ? kAheadAttr
                                                      : kBehindAttr,
                     builder.getI64IntegerAttr(distance));
  }
  if (llvm::none_of(decisions.recomputes, [](bool yes) { return yes; }))
    return;
  SmallVector<nn::FusionOp> regions(
      target.getBody().front().getOps<nn::FusionOp>());
  for (auto [index, list] : llvm::enumerate(candidateRegions))
    if (decisions.recomputes[index])
      for (unsigned ordinal : list)
        regions[ordinal]->setAttr(kRecomputeAttr, builder.getUnitAttr());
}

std::optional<Trial> EntryTrials::run(const Decisions &decisions, bool exact) {
  ++count;
  OwningOpRef<train::EntryOp> clone = entry.clone();
  annotate(*clone, decisions);
  SmallVector<Operation *> cloned = collectStarts(*clone);
  applyDecisions(*clone, states, options.overlap, options.messages,
                 /*explain=*/false);
  FailureOr<StepEstimate> estimate =
      estimateStep(*clone, states, options.cost, options.arena, exact);
  if (failed(estimate))
    return std::nullopt;
  Trial trial;
  trial.seconds = estimate->seconds;
  trial.bytes = estimate->arenaBytes;
  trial.estimate = std::move(*estimate);
  measure(*clone, cloned, trial);
  return trial;
}

void EntryTrials::measure(train::EntryOp applied, ArrayRef<Operation *> cloned,
                          Trial &trial) const {
  llvm::DenseMap<Operation *, unsigned> ordinals;
  for (auto [index, start] : llvm::enumerate(cloned))
    ordinals[start] = index;
  trial.exchanges.resize(cloned.size());

  const auto &spans = trial.estimate.spans;
  double work = 0;
  unsigned regions = 0;
  int64_t live = 0, ahead = 0;
  for (Operation &op : applied.getBody().front()) {
    auto span = spans.lookup(&op);
    if (isStart(&op)) {
      auto it = ordinals.find(&op);
      if (it == ordinals.end())
        continue; // Gathered again for recomputation.
      TrialExchange &exchange = trial.exchanges[it->second];
      exchange.exists = true;
      exchange.joined = op.hasAttr(zero::kJoinAttrName);
      exchange.begin = span.begin;
      exchange.end = span.begin + span.seconds;
      exchange.startRegion = regions;
      if (isGather(it->second)) {
        live += elements[it->second];
        ahead += elements[it->second];
        trial.liveElements = std::max(trial.liveElements, live);
      }
      continue;
    }
    if (isa<nn::FusionOp>(op)) {
      trial.begins.push_back(span.begin);
      trial.work.push_back(work);
      ++regions;
      trial.aheadElements = std::max(trial.aheadElements, ahead);
    }
    work += span.seconds;
    Operation *first =
        op.getNumOperands() ? op.getOperand(0).getDefiningOp() : nullptr;
    if (auto it = ordinals.find(first); first && it != ordinals.end()) {
      trial.exchanges[it->second].awaitRegion = regions;
      if (isGather(it->second))
        ahead -= elements[it->second];
    }
    if (auto release = dyn_cast<zero::ReleaseOp>(op))
      if (zero::GroupOp group =
              states.getGroup(release.getGroupAttr().getAttr()))
        live -= group.getElements();
  }
  trial.begins.push_back(trial.seconds);
  trial.work.push_back(work);
  measureWaits(applied, ordinals, trial);
}

/// Computation that begins later than what stands ahead of it ends has waited
/// for the last exchange that was awaited in between.
void EntryTrials::measureWaits(
    train::EntryOp applied,
    const llvm::DenseMap<Operation *, unsigned> &ordinals, Trial &trial) const {
  double time = 0;
  TrialExchange *awaited = nullptr;
  auto wait = [&](double until) {
    if (awaited)
      awaited->exposed += std::max(until - time, 0.0);
    awaited = nullptr;
  };
  for (Operation &op : applied.getBody().front()) {
    if (isStart(&op))
      continue;
    Operation *first =
        op.getNumOperands() ? op.getOperand(0).getDefiningOp() : nullptr;
    if (auto it = ordinals.find(first); first && it != ordinals.end()) {
      TrialExchange &exchange = trial.exchanges[it->second];
      if (!awaited || awaited->end < exchange.end)
        awaited = &exchange;
    }
    auto span = trial.estimate.spans.find(&op);
    if (span == trial.estimate.spans.end())
      continue;
    wait(span->second.begin);
    time = span->second.begin + span->second.seconds;
  }
  wait(trial.seconds);
}
