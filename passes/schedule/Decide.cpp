#include "passes/analysis/Collectives.h"
#include "passes/analysis/StateBytes.h"
#include "passes/schedule/ApplyDecisions.h"
#include "passes/schedule/ExplainDecisions.h"
#include "passes/schedule/Passes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <utility>

namespace dsc {
#define GEN_PASS_DEF_DECIDEPASS
#include "passes/schedule/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// Decides for all entries of a module.
class ModuleDecider {
public:
  ModuleDecider(ModuleOp module, const ScheduleOptions &options)
      : module(module), states(module), options(options) {
    if (auto most = module->getAttrOfType<IntegerAttr>(zero::kMaxWorldAttrName))
      this->options.arena.maxWorld = most.getInt();
    // To join reductions takes staging, which is state of no single entry.
    if (options.memoryLimit)
      this->options.messages.reduceElements = 0;
  }

  LogicalResult run();

private:
  std::optional<EntryDecision> decide(train::EntryOp entry,
                                      std::optional<int64_t> limit);
  LogicalResult reportLimit(train::EntryOp entry, int64_t leastBytes);
  void annotateStep(train::EntryOp step, train::EntryOp stepLast);
  std::optional<int64_t> getArenaLimit();
  LogicalResult decideAll(std::optional<int64_t> limit);
  void collectMoments();
  void keepInMemory(size_t count);
  bool fitsInMemory(size_t count);
  bool leastFitsInMemory(size_t count);
  double getStepSeconds();
  std::optional<size_t> buyMoments();
  void explainMoments(size_t inMemory);

  struct Chosen {
    train::EntryOp entry, step;
    std::unique_ptr<EntryTrials> trials;
    EntryDecision decision;
  };
  struct Moments {
    zero::GroupOp group;
    SmallVector<train::StateOp> states;
  };

  ModuleOp module;
  StateMap states;
  ScheduleOptions options;
  /// Of a rank beside the arena, if there is a limit.
  int64_t stateBytes = 0;
  std::vector<Chosen> chosen;
  /// Of all groups, if it is chosen what lies outside of memory.
  std::vector<Moments> moments;
};

struct DecidePass : dsc::impl::DecidePassBase<DecidePass> {
  using Base = dsc::impl::DecidePassBase<DecidePass>;
  using Base::Base;
  explicit DecidePass(const ScheduleOptions &options) : given(options) {}

  ScheduleOptions getOptions() const {
    if (given)
      return *given;
    ScheduleOptions options;
    auto bound = [](int64_t value) {
      return value < 0 ? std::optional<int64_t>() : value;
    };
    options.bounds = {bound(prefetchElements), bound(liveElements),
                      bound(reuseDistance)};
    options.overlap = overlap;
    options.messages = {gatherElements, reduceElements};
    if (recompute)
      options.recompute = ScheduleOptions::Recompute::Auto;
    if (offload)
      options.offload = ScheduleOptions::Offload::Auto;
    if (memoryLimit > 0)
      options.memoryLimit = memoryLimit;
    options.cost = CostModel::getDefault(ranks);
    if (engine)
      options.cost.computeShare = 0;
    return options;
  }

  void runOnOperation() override {
    ScheduleOptions options = getOptions();
    if (failed(ModuleDecider(getOperation(), options).run()))
      signalPassFailure();
  }

  /// Of the constructor; else the options of the pass hold.
  std::optional<ScheduleOptions> given;
};

} // namespace

std::unique_ptr<Pass> dsc::createDecidePass(const ScheduleOptions &options) {
  return std::make_unique<DecidePass>(options);
}

std::optional<EntryDecision>
ModuleDecider::decide(train::EntryOp entry, std::optional<int64_t> limit) {
  EntryTrials trials(entry, states, options);
  return decideEntry(trials, options, limit);
}

/// What a person reads: 1.50 GiB.
static std::string formatBytes(int64_t bytes) {
  constexpr StringLiteral units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024)
    return llvm::formatv("{0} bytes", bytes);
  double value = double(bytes) / 1024;
  unsigned unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  return llvm::formatv("{0} bytes ({1:f2} {2})", bytes, value, units[unit]);
}

/// Tells the smallest limit, and what it would cost.
LogicalResult ModuleDecider::reportLimit(train::EntryOp entry,
                                         int64_t leastBytes) {
  int64_t least = stateBytes + leastBytes;
  InFlightDiagnostic diagnostic =
      entry.emitError("does not fit in --memory-limit=")
      << *options.memoryLimit << " on " << options.cost.ranks
      << " ranks: the smallest limit that it fits in is " << formatBytes(least)
      << ", of which " << formatBytes(stateBytes) << " are state";
  auto tight = decide(entry, leastBytes);
  auto free = decide(entry, std::nullopt);
  if (tight && free)
    diagnostic.attachNote(entry.getLoc())
        << llvm::formatv("with that limit '{0}' is expected to take {1:f3} ms, "
                         "without a limit "
                         "{2:f3} ms in {3}",
                         entry.getSymName(), tight->trial.seconds * 1e3,
                         free->trial.seconds * 1e3,
                         formatBytes(stateBytes + free->trial.bytes))
               .str();
  return diagnostic;
}

/// Copies the annotations of `stepLast` to `step`, which does the same but for
/// the reductions of whole gradients.
void ModuleDecider::annotateStep(train::EntryOp step, train::EntryOp stepLast) {
  auto collect = [](train::EntryOp entry) {
    SmallVector<Operation *> ops;
    for (Operation &op : entry.getBody().front())
      if (isa<nn::FusionOp>(op) ||
          (isa<zero::CollectiveOpInterface>(op) && !isReductionOfWhole(&op)))
        ops.push_back(&op);
    return ops;
  };
  for (auto [op, lastOp] : llvm::zip(collect(step), collect(stepLast)))
    for (NamedAttribute attribute : lastOp->getDiscardableAttrs())
      if (op->getName() == lastOp->getName() && isDecision(attribute.getName()))
        op->setAttr(attribute.getName(), attribute.getValue());
}

std::optional<int64_t> ModuleDecider::getArenaLimit() {
  std::optional<uint64_t> bytes =
      getStateBytes(module, options.cost.ranks, options.arena);
  if (!bytes) {
    module.emitError("has states beyond 64-bit addresses");
    return std::nullopt;
  }
  stateBytes = *bytes;
  return int64_t(*options.memoryLimit) - stateBytes;
}

LogicalResult ModuleDecider::decideAll(std::optional<int64_t> limit) {
  train::EntryOp step;
  for (auto entry : module.getOps<train::EntryOp>()) {
    // The two of a set follow each other.
    if (entry.getKind() == train::EntryKind::Step) {
      step = entry;
      continue;
    }
    auto trials = std::make_unique<EntryTrials>(entry, states, options);
    auto decision = decideEntry(*trials, options, limit);
    if (!decision)
      return failure();
    bool isLast = entry.getKind() == train::EntryKind::StepLast;
    chosen.push_back({entry, isLast ? step : train::EntryOp(),
                      std::move(trials), std::move(*decision)});
  }
  auto largest =
      llvm::max_element(chosen, [](const Chosen &a, const Chosen &b) {
        return a.decision.least.bytes < b.decision.least.bytes;
      });
  if (limit && largest != chosen.end() &&
      largest->decision.least.bytes > *limit)
    return reportLimit(largest->entry, largest->decision.least.bytes);
  return success();
}

//===----------------------------------------------------------------------===//
// Offloaded states
//===----------------------------------------------------------------------===//

/// The moments of each group, from the smallest group on.
void ModuleDecider::collectMoments() {
  llvm::MapVector<StringAttr, SmallVector<train::StateOp>> byGroup;
  for (auto state : module.getOps<train::StateOp>())
    if (state.getKind() == train::StateKind::Moment)
      if (zero::GroupOp group =
              states.getGroupOf(state.getParameterAttr().getAttr()))
        byGroup[group.getSymNameAttr()].push_back(state);
  for (auto &entry : byGroup)
    moments.push_back({states.getGroup(entry.first), entry.second});
  auto getKey = [](zero::GroupOp group) {
    return std::pair(group.getElements(), group.getSymName());
  };
  llvm::sort(moments, [&](const Moments &a, const Moments &b) {
    return getKey(a.group) < getKey(b.group);
  });
}

void ModuleDecider::keepInMemory(size_t count) {
  for (auto [index, group] : llvm::enumerate(moments))
    for (train::StateOp state : group.states)
      state.setOffloaded(index >= count);
}

/// Whether all fits with the moments of the `count` smallest groups in memory;
/// decides anew for the entries that use them.
bool ModuleDecider::fitsInMemory(size_t count) {
  keepInMemory(count);
  std::optional<int64_t> limit = getArenaLimit();
  if (!limit)
    return false;
  for (Chosen &one : chosen) {
    if (!one.entry.worksOnParts()) {
      if (one.decision.trial.bytes > *limit)
        return false;
      continue;
    }
    auto trials = std::make_unique<EntryTrials>(one.entry, states, options);
    auto decision = decideEntry(*trials, options, limit);
    if (!decision || decision->trial.bytes > *limit)
      return false;
    one.trials = std::move(trials);
    one.decision = std::move(*decision);
  }
  return true;
}

/// Whether the least memory of all entries fits so.
bool ModuleDecider::leastFitsInMemory(size_t count) {
  keepInMemory(count);
  std::optional<int64_t> limit = getArenaLimit();
  return limit && llvm::all_of(chosen, [&](Chosen &one) {
           if (!one.entry.worksOnParts())
             return one.decision.least.bytes <= *limit;
           auto decision = decide(one.entry, limit);
           return decision && decision->least.bytes <= *limit;
         });
}

/// What steps of training are expected to take, those of all sets together.
double ModuleDecider::getStepSeconds() {
  double seconds = 0;
  for (Chosen &one : chosen)
    if (one.entry.getKind() == train::EntryKind::StepLast ||
        one.entry.getKind() == train::EntryKind::Update)
      seconds += one.decision.trial.seconds;
  return seconds;
}

/// The largest count in [low, high] that fits; `low` does.
static size_t findMost(size_t low, size_t high,
                       llvm::function_ref<bool(size_t)> fits) {
  while (low < high) {
    size_t middle = (low + high + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// Moments buy memory by the time of transfers: what all else has left of it,
/// or ahead of all else; whichever makes the faster steps. How many are in
/// memory, from the smallest group on; nothing if that fails.
std::optional<size_t> ModuleDecider::buyMoments() {
  const size_t left = findMost(
      0, moments.size(), [&](size_t count) { return fitsInMemory(count); });
  fitsInMemory(left);
  const size_t most = findMost(left, moments.size(), [&](size_t count) {
    return leastFitsInMemory(count);
  });
  if (most == left) {
    keepInMemory(left);
    return left;
  }
  const double seconds = getStepSeconds();
  std::vector<Chosen> others = std::exchange(chosen, {});
  keepInMemory(most);
  std::optional<int64_t> limit = getArenaLimit();
  if (!limit || failed(decideAll(limit)))
    return std::nullopt;
  if (getStepSeconds() <= seconds)
    return most;
  chosen = std::move(others);
  keepInMemory(left);
  return left;
}

void ModuleDecider::explainMoments(size_t inMemory) {
  for (auto [index, group] : llvm::enumerate(moments)) {
    auto opts = remark::RemarkOpts::name("Moments").category("schedule");
    int64_t bytes = 0;
    for (train::StateOp state : group.states)
      bytes += state.getType().getNumElements() *
               int64_t(state.getType().getElementTypeBitWidth() / 8);
    auto fill = [&](auto &&remark, StringRef text, StringRef decision) {
      remark << text << remark::metric("entry", StringRef("update"))
             << remark::metric("group", group.group.getSymName())
             << remark::metric("decision", decision)
             << remark::metric("bytes", bytes);
    };
    Location loc = group.group.getLoc();
    if (index < inMemory)
      fill(remark::passed(loc, opts), "stay in memory", "kept");
    else
      fill(remark::missed(loc, opts), "lie outside of memory, for want of it",
           "offloaded");
  }
}

LogicalResult ModuleDecider::run() {
  bool choosesOffload =
      options.offload == ScheduleOptions::Offload::Auto && options.memoryLimit;
  if (choosesOffload) {
    collectMoments();
    keepInMemory(0);
  }
  std::optional<int64_t> limit;
  if (options.memoryLimit && !(limit = getArenaLimit()))
    return failure();
  if (failed(decideAll(limit)))
    return failure();
  if (choosesOffload) {
    std::optional<size_t> inMemory = buyMoments();
    if (!inMemory)
      return failure();
    explainMoments(*inMemory);
  }
  for (Chosen &one : chosen) {
    one.trials->annotate(one.entry, one.decision.decisions);
    explainDecisions(one.entry, *one.trials, one.decision, options.cost);
    if (one.step)
      annotateStep(one.step, one.entry);
  }
  return success();
}
