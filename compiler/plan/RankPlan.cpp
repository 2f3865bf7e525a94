#include "compiler/plan/RankPlan.h"

#include "compiler/plan/LeastArena.h"
#include "dialects/exec/ExecOps.h"
#include "runtime/abi/dsrt.h"
#include "runtime/abi/dsrt_layout.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace dsc;
using namespace mlir;

// A state's class is handed to the layout function as it is.
static_assert(unsigned(exec::StateClass::Parameter) == DSRT_CLASS_PARAMETER &&
              unsigned(exec::StateClass::Gradient) == DSRT_CLASS_GRADIENT &&
              unsigned(exec::StateClass::Optimizer) == DSRT_CLASS_OPTIMIZER &&
              unsigned(exec::StateClass::Scalar) == DSRT_CLASS_SCALAR &&
              unsigned(exec::StateClass::Staging) == DSRT_CLASS_STAGING);

static ByteClass classify(exec::StateClass stateClass) {
  switch (stateClass) {
  case exec::StateClass::Parameter:
    return ByteClass::Parameters;
  case exec::StateClass::Gradient:
    return ByteClass::Gradients;
  case exec::StateClass::Optimizer:
    return ByteClass::Optimizer;
  case exec::StateClass::Scalar:
    return ByteClass::Scalars;
  case exec::StateClass::Staging:
    return ByteClass::Staging;
  }
  llvm_unreachable("a state has one of its classes");
}

static ByteClass classify(BufferUse use) {
  switch (use) {
  case BufferUse::Activation:
    return ByteClass::Activations;
  case BufferUse::Gather:
    return ByteClass::GatherBuffers;
  case BufferUse::Reduction:
    return ByteClass::ReduceBuffers;
  }
  llvm_unreachable("a buffer has one of its uses");
}

namespace {

class Planner {
public:
  Planner(ModuleOp module, uint32_t ranks, ArrayRef<uint32_t> weights)
      : module(module), weights(weights) {
    plan.ranks = ranks;
  }
  llvm::Error run();
  RankPlan takePlan() { return std::move(plan); }

private:
  void listTable();
  /// Places all that `rank` holds.
  llvm::Error computeLayout(uint32_t rank);
  llvm::Error chooseRank();
  void addStateBytes();
  void addGroups();
  void addEntries();
  void addWire(EntryPlan &entry, exec::ProgramOp program);
  uint64_t getReceivedBytes(uint32_t rank, Operation *collective) const;

  /// The world + 1 elements of a group between which ranges lie.
  ArrayRef<uint64_t> boundsOf(size_t group) const {
    return ArrayRef(bounds).slice(group * (size_t(plan.ranks) + 1),
                                  size_t(plan.ranks) + 1);
  }

  ModuleOp module;
  ArrayRef<uint32_t> weights;
  RankPlan plan;
  std::vector<exec::GroupOp> groupOps;
  llvm::DenseMap<StringAttr, int32_t> groupIndices;
  std::vector<dsrt_layout_group> groups;
  std::vector<dsrt_layout_state> states;
  std::vector<uint64_t> inputs;
  // Of the rank that was placed last.
  dsrt_layout layout = {};
  std::vector<dsrt_layout_place> places;
  std::vector<uint64_t> inputOffsets, bounds;
};

} // namespace

uint64_t EntryPlan::receivedBytes() const {
  uint64_t bytes = 0;
  for (const WirePlan &row : wire)
    bytes += row.receivedBytes;
  return bytes;
}

const EntryPlan *RankPlan::largestEntry() const {
  const EntryPlan *largest = nullptr;
  for (const EntryPlan &entry : entries)
    if (!largest || entry.arenaBytes > largest->arenaBytes)
      largest = &entry;
  return largest;
}

/// Of an input of a program.
static uint64_t getBytes(DictionaryAttr input) {
  auto type = cast<RankedTensorType>(input.getAs<TypeAttr>("type").getValue());
  return type.getNumElements() * exec::getElementBytes(type.getElementType());
}

/// Of all inputs of a program, each with what aligns the next one.
static uint64_t getInputBytes(exec::ProgramOp program) {
  uint64_t bytes = 0;
  for (auto input : program.getInputs().getAsRange<DictionaryAttr>())
    bytes += llvm::alignTo(getBytes(input), DSRT_ALIGNMENT);
  return bytes;
}

/// The rows of the state table, as the manifest will list them.
void Planner::listTable() {
  for (auto group : module.getOps<exec::GroupOp>()) {
    groupIndices[group.getSymNameAttr()] = groups.size();
    groupOps.push_back(group);
    groups.push_back(
        {static_cast<uint64_t>(group.getElements()),
         static_cast<uint32_t>(exec::getElementBytes(group.getElementType())),
         static_cast<uint32_t>(group.getStage())});
  }
  for (auto state : module.getOps<exec::StateOp>())
    states.push_back(
        {static_cast<uint64_t>(state.getElements()),
         static_cast<uint32_t>(exec::getElementBytes(state.getElementType())),
         static_cast<uint32_t>(state.getStateClass()),
         state.getGroup() ? groupIndices.lookup(state.getGroupAttr().getAttr())
                          : -1,
         static_cast<uint64_t>(state.getOffset().value_or(0)),
         state.getOffloaded()});
  // Entries share the buffer of inputs of one name and type.
  llvm::SetVector<std::pair<Attribute, Attribute>> distinct;
  for (auto program : module.getOps<exec::ProgramOp>()) {
    plan.arenaBytes =
        std::max(plan.arenaBytes, static_cast<uint64_t>(program.getArena()));
    for (auto input : program.getInputs().getAsRange<DictionaryAttr>())
      distinct.insert({input.get("name"), input.get("type")});
  }
  for (auto [name, type] : distinct) {
    auto tensor = cast<RankedTensorType>(cast<TypeAttr>(type).getValue());
    inputs.push_back(tensor.getNumElements() *
                     exec::getElementBytes(tensor.getElementType()));
  }
}

llvm::Error Planner::computeLayout(uint32_t rank) {
  places.resize(states.size());
  inputOffsets.resize(inputs.size());
  bounds.resize(groups.size() * (size_t(plan.ranks) + 1));
  dsrt_layout_table table{groups.data(),
                          states.data(),
                          inputs.data(),
                          static_cast<uint32_t>(groups.size()),
                          static_cast<uint32_t>(states.size()),
                          static_cast<uint32_t>(inputs.size()),
                          DSRT_LAYOUT_MIN_UNIT,
                          plan.arenaBytes};
  layout.places = places.data();
  layout.input_offsets = inputOffsets.data();
  layout.bounds = bounds.data();
  if (dsrt_layout_compute(&table, plan.ranks,
                          weights.empty() ? nullptr : weights.data(), rank,
                          &layout) == DSRT_LAYOUT_OK)
    return llvm::Error::success();
  return llvm::createStringError("the model's memory on " +
                                 llvm::Twine(plan.ranks) +
                                 " ranks exceeds 64-bit addresses");
}

/// Looks at all ranks of unequal shares, and takes the one that holds most.
llvm::Error Planner::chooseRank() {
  for (auto [rank, weight] : llvm::enumerate(weights)) {
    if (llvm::Error error = computeLayout(rank))
      return error;
    RankTotals totals{weight,
                      layout.total_bytes,
                      layout.offload_bytes,
                      layout.snapshot_bytes,
                      {}};
    for (auto program : module.getOps<exec::ProgramOp>()) {
      uint64_t received = 0;
      for (Operation &op : program.getBody().front())
        received += getReceivedBytes(rank, &op);
      totals.receivedBytes.push_back(received);
    }
    plan.byRank.push_back(totals);
    if (totals.totalBytes > plan.byRank[plan.rank].totalBytes)
      plan.rank = rank;
  }
  return computeLayout(plan.rank);
}

void Planner::addStateBytes() {
  llvm::DenseSet<uint64_t> seen;
  for (auto [index, state] : llvm::enumerate(states)) {
    const dsrt_layout_place &place = layout.places[index];
    // An empty buffer lies where the next one does.
    if (state.offloaded || place.buffer_bytes == 0 ||
        !seen.insert(place.buffer).second)
      continue;
    plan[classify(static_cast<exec::StateClass>(state.state_class))] +=
        llvm::alignTo(place.buffer_bytes, DSRT_ALIGNMENT);
  }
}

void Planner::addGroups() {
  for (auto [index, op] : llvm::enumerate(groupOps)) {
    const dsrt_layout_group &group = groups[index];
    ArrayRef<uint64_t> cut = boundsOf(index);
    GroupPlan row;
    row.name = op.getSymName().str();
    row.stage = group.stage;
    row.elementBytes = group.element_bytes;
    for (auto segment : op.getSegments().getAsRange<exec::SegmentAttr>())
      row.tensorElements += segment.getElements();
    row.elements = group.elements;
    row.shardElements = cut[plan.rank + 1] - cut[plan.rank];
    row.allElements = cut.back();
    for (uint32_t rank = 0; rank < plan.ranks; ++rank)
      row.owners += std::min(cut[rank + 1], group.elements) > cut[rank];
    plan.groups.push_back(row);
  }
}

/// What `rank` receives from the others in an operation: of a gather their
/// ranges, of an exchange its own range from each of them.
uint64_t Planner::getReceivedBytes(uint32_t rank, Operation *op) const {
  auto getRange = [&](FlatSymbolRefAttr name, bool gathers) {
    size_t group = groupIndices.lookup(name.getAttr());
    ArrayRef<uint64_t> cut = boundsOf(group);
    uint64_t own = cut[rank + 1] - cut[rank];
    return (gathers ? cut.back() - own : (plan.ranks - 1) * own) *
           groups[group].element_bytes;
  };
  if (auto exchange = dyn_cast<exec::AllToAllOp>(op))
    return getRange(exchange.getGroupAttr(), /*gathers=*/false);
  auto gather = dyn_cast<exec::AllGatherOp>(op);
  if (!gather)
    return 0;
  if (FlatSymbolRefAttr group = gather.getGroupAttr())
    return getRange(group, /*gathers=*/true);
  return (plan.ranks - 1) *
         exec::getViewBytes(cast<MemRefType>(gather.getSource().getType()));
}

void Planner::addWire(EntryPlan &entry, exec::ProgramOp program) {
  for (Operation &op : program.getBody().front()) {
    if (!isa<exec::AllGatherOp, exec::AllToAllOp>(op))
      continue;
    StringRef collective = op.getName().stripDialect();
    StringRef group = getCollectiveGroup(&op);
    auto row = llvm::find_if(entry.wire, [&](const WirePlan &other) {
      return other.collective == collective && other.group == group;
    });
    if (row == entry.wire.end())
      row = entry.wire.insert(row, {collective.str(), group.str(), 0, 0});
    ++row->count;
    row->receivedBytes += getReceivedBytes(plan.rank, &op);
  }
}

void Planner::addEntries() {
  for (auto program : module.getOps<exec::ProgramOp>()) {
    EntryPlan entry;
    entry.name = program.getSymName().str();
    entry.kind = exec::stringifyProgramKind(program.getKind()).str();
    entry.arenaBytes = program.getArena();
    entry.leastArenaBytes = computeLeastArena(program);
    entry.arena = computeArenaUse(program);
    addWire(entry, program);
    entry.schedule = listSchedule(program);
    for (ScheduledCollective &row : entry.schedule)
      row.receivedBytes = getReceivedBytes(plan.rank, row.op);
    if (program.getKind() == exec::ProgramKind::StepLast)
      plan.readAheadBytes =
          std::max(plan.readAheadBytes, getInputBytes(program));
    plan.entries.push_back(std::move(entry));
  }
  const EntryPlan *largest = plan.largestEntry();
  if (!largest)
    return;
  for (const LiveBuffer &buffer : largest->arena.buffers)
    plan[classify(buffer.use)] += buffer.bytes;
  plan[ByteClass::Unused] = llvm::alignTo(plan.arenaBytes, DSRT_ALIGNMENT) -
                            largest->arena.peakBytes();
}

llvm::Error Planner::run() {
  listTable();
  if (llvm::Error error = chooseRank())
    return error;
  plan.totalBytes = layout.total_bytes;
  plan.offloadedBytes = layout.offload_bytes;
  plan.snapshotBytes = layout.snapshot_bytes;
  plan[ByteClass::Inputs] = layout.total_bytes - layout.input_offset;
  addStateBytes();
  addGroups();
  addEntries();
  return llvm::Error::success();
}

llvm::Expected<RankPlan> dsc::planRank(ModuleOp module, uint32_t ranks,
                                       ArrayRef<uint32_t> weights) {
  Planner planner(module, ranks, weights);
  if (llvm::Error error = planner.run())
    return error;
  return planner.takePlan();
}
