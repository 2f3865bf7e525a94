#include "passes/schedule/RecomputeCandidates.h"

#include "dialects/exec/ExecOps.h"
#include "dialects/interfaces/FusionOpInterface.h"
#include "passes/analysis/LayerNames.h"
#include "passes/analysis/TrainingStep.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dsc;

namespace {

using RegionSet = llvm::SmallSetVector<Operation *, 8>;

/// Answers for the forward of one step.
class Candidates {
public:
  Candidates(train::EntryOp entry, const StateMap &states)
      : entry(entry), states(states),
        layers(collectLayers(entry->getParentOfType<ModuleOp>())) {}

  std::vector<RecomputeCandidate> collect();

private:
  void findRuns();
  void findUses(Value result, Value value);
  bool mayRunAgain(Operation *op) const;
  RegionSet getChain(Operation *seed, bool stopsAtContractions) const;
  int64_t getSavedBytes(const RegionSet &regions) const;
  void addCandidates(const RegionSet &component,
                     std::vector<RecomputeCandidate> &candidates) const;
  StringRef getLayer(Value value) const;

  train::EntryOp entry;
  const StateMap &states;
  llvm::StringSet<> layers;
  Operation *forwardEnd = nullptr;

  SmallVector<nn::FusionOp> regions;
  /// For each region of forward.
  llvm::DenseMap<Operation *, unsigned> runs;
  unsigned lastRun = 0;
  /// Results that backward uses, and regions of which another run uses one.
  llvm::DenseSet<Value> liveInBackward;
  llvm::DenseSet<Operation *> leftToOthers;
};

} // namespace

static Value getRoot(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

static int64_t getBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() * exec::getElementBytes(type.getElementType());
}

static bool isContraction(Operation *region) {
  return cast<nn::FusionOp>(region).getKind() ==
         stringifyFusionKind(FusionKind::Contraction);
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// The layer of the parameter that `value` is, whole or gathered; empty for
/// other values.
StringRef Candidates::getLayer(Value value) const {
  Operation *op = value.getDefiningOp();
  StringAttr symbol;
  if (auto read = dyn_cast_or_null<train::ReadOp>(op)) {
    symbol = read.getSymbolAttr().getAttr();
  } else if (auto await = dyn_cast_or_null<zero::GatherAwaitOp>(op)) {
    auto start = await.getToken().getDefiningOp<zero::GatherStartOp>();
    zero::GroupOp group = start
                              ? states.getGroup(start.getGroupAttr().getAttr())
                              : zero::GroupOp();
    if (!group)
      return {};
    auto segments = group.getSegmentRange();
    unsigned number = cast<OpResult>(value).getResultNumber();
    symbol = (*std::next(segments.begin(), number)).getTensor().getAttr();
  }
  train::ParameterOp parameter =
      symbol ? states.getParameter(symbol) : train::ParameterOp();
  if (!parameter)
    return {};
  return getWholeLayer(getLayerOrName(parameter), layers);
}

/// A region that uses parameters of two layers belongs to the first.
void Candidates::findRuns() {
  StringRef current;
  unsigned run = 0;
  for (auto region : entry.getBody().front().getOps<nn::FusionOp>()) {
    if (!region->isBeforeInBlock(forwardEnd))
      break;
    StringRef next;
    bool staysHere = false;
    for (Value input : region.getInputs()) {
      StringRef layer = getLayer(getRoot(input));
      staysHere |= !layer.empty() && layer == current;
      if (next.empty())
        next = layer;
    }
    if (!next.empty() && !staysHere) {
      current = next;
      ++run;
    }
    regions.push_back(region);
    runs[region] = run;
  }
  lastRun = run;
}

/// Notes who uses `value`, which is `result` or a view of it.
void Candidates::findUses(Value result, Value value) {
  Operation *region = result.getDefiningOp();
  for (Operation *user : value.getUsers()) {
    if (isView(user)) {
      findUses(result, user->getResult(0));
    } else if (forwardEnd->isBeforeInBlock(user)) {
      liveInBackward.insert(result);
    } else if (auto it = runs.find(user);
               it == runs.end() || it->second != runs.lookup(region)) {
      leftToOthers.insert(region);
    }
  }
}

bool Candidates::mayRunAgain(Operation *op) const {
  auto region = dyn_cast_or_null<nn::FusionOp>(op);
  auto it = runs.find(op);
  if (!region || it == runs.end() || it->second == lastRun ||
      leftToOthers.contains(op))
    return false;
  // One that overwrites a state would find it changed.
  for (unsigned result = 0; result < region.getNumResults(); ++result)
    if (region.getInplaceOperand(result))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// The regions that have to run again, with `seed`, since their results are not
/// there in backward.
RegionSet Candidates::getChain(Operation *seed,
                               bool stopsAtContractions) const {
  RegionSet chain;
  chain.insert(seed);
  for (unsigned i = 0; i < chain.size(); ++i)
    for (Value input : cast<nn::FusionOp>(chain[i]).getInputs()) {
      Value root = getRoot(input);
      Operation *producer = root.getDefiningOp();
      if (liveInBackward.contains(root) || !mayRunAgain(producer) ||
          (stopsAtContractions && isContraction(producer)) ||
          runs.lookup(producer) != runs.lookup(seed))
        continue;
      chain.insert(producer);
    }
  return chain;
}

/// Bytes of results that backward need not find, less those that it must find
/// because of this.
int64_t Candidates::getSavedBytes(const RegionSet &component) const {
  int64_t bytes = 0;
  llvm::SmallSetVector<Value, 8> found;
  for (Operation *op : component) {
    auto region = cast<nn::FusionOp>(op);
    for (Value result : region.getResults())
      if (liveInBackward.contains(result))
        bytes += getBytes(result);
    for (Value input : region.getInputs()) {
      Value root = getRoot(input);
      Operation *producer = root.getDefiningOp();
      // What is no region's result is state, or an input of the entry.
      if (isa_and_nonnull<nn::FusionOp>(producer) &&
          !component.contains(producer) && !liveInBackward.contains(root))
        found.insert(root);
    }
  }
  for (Value value : found)
    bytes -= getBytes(value);
  return bytes;
}

void Candidates::addCandidates(
    const RegionSet &component,
    std::vector<RecomputeCandidate> &candidates) const {
  auto add = [&](const RegionSet &set, int64_t bytes) {
    RecomputeCandidate &candidate = candidates.emplace_back();
    for (Operation *op : set)
      candidate.regions.push_back(cast<nn::FusionOp>(op));
    llvm::sort(candidate.regions, [](nn::FusionOp a, nn::FusionOp b) {
      return a->isBeforeInBlock(b);
    });
    candidate.bytes = bytes;
    candidate.run = runs.lookup(set.front());
  };

  int64_t bytes = getSavedBytes(component);
  RegionSet cheap;
  for (Operation *op : component)
    if (!isContraction(op) && llvm::any_of(op->getResults(), [&](Value value) {
          return liveInBackward.contains(value);
        }))
      cheap.insert_range(getChain(op, /*stopsAtContractions=*/true));
  int64_t cheapBytes = getSavedBytes(cheap);
  RegionSet rest = component;
  rest.set_subtract(cheap);
  if (!rest.empty() && cheapBytes > 0 && bytes > cheapBytes) {
    add(cheap, cheapBytes);
    add(rest, bytes - cheapBytes);
  } else if (cheapBytes >= bytes && cheapBytes > 0) {
    add(cheap, cheapBytes);
  } else if (bytes > 0) {
    add(component, bytes);
  }
}

std::vector<RecomputeCandidate> Candidates::collect() {
  forwardEnd = findForwardEnd(entry);
  if (!forwardEnd)
    return {};
  findRuns();
  for (nn::FusionOp region : regions)
    for (Value result : region.getResults())
      findUses(result, result);

  // Chains that share a region are one component.
  llvm::EquivalenceClasses<Operation *> joined;
  for (nn::FusionOp region : regions) {
    bool isLive = llvm::any_of(region.getResults(), [&](Value value) {
      return liveInBackward.contains(value);
    });
    if (!isLive || !mayRunAgain(region))
      continue;
    joined.insert(region);
    for (Operation *op : getChain(region, /*stopsAtContractions=*/false))
      joined.unionSets(region, op);
  }
  llvm::MapVector<Operation *, RegionSet> components;
  for (nn::FusionOp region : regions)
    if (joined.contains(region))
      components[joined.getLeaderValue(region)].insert(region);

  std::vector<RecomputeCandidate> candidates;
  for (const auto &[leader, component] : components)
    addCandidates(component, candidates);
  return candidates;
}

std::vector<RecomputeCandidate>
dsc::collectRecomputable(train::EntryOp entry, const StateMap &states) {
  return Candidates(entry, states).collect();
}
