#include "compiler/plan/RankPlan.h"

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
  Planner(ModuleOp module, uint32_t ranks) : module(module) {
    plan.ranks = ranks;
  }
  llvm::Error run();
  RankPlan takePlan() { return std::move(plan); }

private:
  void listTable();
  llvm::Error computeLayout();
  void addStateBytes(const dsrt_layout &layout);
  void addGroups();
  void addEntries();
  void addWire(EntryPlan &entry, exec::ProgramOp program);

  ModuleOp module;
  RankPlan plan;
  std::vector<exec::GroupOp> groupOps;
  std::vector<dsrt_layout_group> groups;
  std::vector<dsrt_layout_state> states;
  std::vector<uint64_t> inputs;
  /// Where ranges of each group begin and end, and the elements of one.
  std::vector<uint64_t> bounds, shards;
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

/// The rows of the state table, as the manifest will list them.
void Planner::listTable() {
  llvm::DenseMap<StringAttr, int32_t> indices;
  for (auto group : module.getOps<exec::GroupOp>()) {
    indices[group.getSymNameAttr()] = groups.size();
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
         state.getGroup() ? indices.lookup(state.getGroupAttr().getAttr()) : -1,
         static_cast<uint64_t>(state.getOffset().value_or(0))});
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

llvm::Error Planner::computeLayout() {
  std::vector<dsrt_layout_place> places(states.size());
  std::vector<uint64_t> inputOffsets(inputs.size());
  bounds.resize(groups.size() * (uint64_t(plan.ranks) + 1));
  dsrt_layout_table table{groups.data(),
                          states.data(),
                          inputs.data(),
                          static_cast<uint32_t>(groups.size()),
                          static_cast<uint32_t>(states.size()),
                          static_cast<uint32_t>(inputs.size()),
                          DSRT_LAYOUT_MIN_UNIT,
                          plan.arenaBytes};
  dsrt_layout layout = {};
  layout.places = places.data();
  layout.input_offsets = inputOffsets.data();
  layout.bounds = bounds.data();
  if (dsrt_layout_compute(&table, plan.ranks, /*weights=*/nullptr, /*rank=*/0,
                          &layout) != DSRT_LAYOUT_OK)
    return llvm::createStringError("the model's memory on " +
                                   llvm::Twine(plan.ranks) +
                                   " ranks exceeds 64-bit addresses");
  for (size_t group = 0; group < groups.size(); ++group) {
    uint64_t *cut = &bounds[group * (uint64_t(plan.ranks) + 1)];
    shards.push_back(cut[1] - cut[0]);
  }
  plan.totalBytes = layout.total_bytes;
  plan[ByteClass::Inputs] = layout.total_bytes - layout.input_offset;
  addStateBytes(layout);
  return llvm::Error::success();
}

/// The buffers of the state region, each counted once with what aligns the next
/// one.
void Planner::addStateBytes(const dsrt_layout &layout) {
  llvm::DenseSet<uint64_t> seen;
  for (auto [index, state] : llvm::enumerate(states)) {
    const dsrt_layout_place &place = layout.places[index];
    // An empty buffer lies where the next one does.
    if (place.buffer_bytes == 0 || !seen.insert(place.buffer).second)
      continue;
    plan[classify(static_cast<exec::StateClass>(state.state_class))] +=
        llvm::alignTo(place.buffer_bytes, DSRT_ALIGNMENT);
  }
}

void Planner::addGroups() {
  for (auto [op, group, shard] : llvm::zip_equal(groupOps, groups, shards)) {
    GroupPlan row;
    row.name = op.getSymName().str();
    row.stage = group.stage;
    row.elementBytes = group.element_bytes;
    for (auto segment : op.getSegments().getAsRange<exec::SegmentAttr>())
      row.tensorElements += segment.getElements();
    row.elements = group.elements;
    row.shardElements = shard;
    row.owners = shard ? llvm::divideCeil(group.elements, shard) : 0;
    plan.groups.push_back(row);
  }
}

/// A collective's bytes follow from its group and the number of ranks: each
/// rank receives one range from each other rank.
void Planner::addWire(EntryPlan &entry, exec::ProgramOp program) {
  llvm::DenseMap<StringAttr, size_t> indices;
  for (auto [index, op] : llvm::enumerate(groupOps))
    indices[op.getSymNameAttr()] = index;
  for (Operation &op : program.getBody().front()) {
    FlatSymbolRefAttr group;
    uint64_t rangeBytes = 0;
    if (auto gather = dyn_cast<exec::AllGatherOp>(op)) {
      group = gather.getGroupAttr();
      if (!group)
        rangeBytes =
            exec::getViewBytes(cast<MemRefType>(gather.getSource().getType()));
    } else if (auto exchange = dyn_cast<exec::AllToAllOp>(op)) {
      group = exchange.getGroupAttr();
    } else {
      continue;
    }
    if (group) {
      size_t index = indices.lookup(group.getAttr());
      rangeBytes = shards[index] * groups[index].element_bytes;
    }
    StringRef collective = op.getName().stripDialect();
    StringRef groupName = group ? group.getValue() : "";
    auto row = llvm::find_if(entry.wire, [&](const WirePlan &other) {
      return other.collective == collective && other.group == groupName;
    });
    if (row == entry.wire.end())
      row = entry.wire.insert(row, {collective.str(), groupName.str(), 0, 0});
    ++row->count;
    row->receivedBytes += (plan.ranks - 1) * rangeBytes;
  }
}

void Planner::addEntries() {
  for (auto program : module.getOps<exec::ProgramOp>()) {
    EntryPlan entry;
    entry.name = program.getSymName().str();
    entry.kind = exec::stringifyProgramKind(program.getKind()).str();
    entry.arenaBytes = program.getArena();
    entry.arena = computeArenaUse(program);
    addWire(entry, program);
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
  if (llvm::Error error = computeLayout())
    return error;
  addGroups();
  addEntries();
  return llvm::Error::success();
}

llvm::Expected<RankPlan> dsc::planRank(ModuleOp module, uint32_t ranks) {
  Planner planner(module, ranks);
  if (llvm::Error error = planner.run())
    return error;
  return planner.takePlan();
}
