#include "passes/analysis/StateBytes.h"

#include "dialects/exec/ExecOps.h"
#include "runtime/abi/dsrt_layout.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dsc;

namespace {

/// The rows that lower's StateTable will have, as the layout function reads
/// them.
class LayoutTable {
public:
  LayoutTable(ModuleOp module, const ArenaOptions &options);
  std::optional<uint64_t> computeBytes(uint32_t ranks) const;

private:
  void addGroup(zero::GroupOp group);
  void addState(StringAttr owner, Type type, dsrt_state_class stateClass,
                bool isOffloaded = false);
  void addStaging(Operation *op);
  void stageShards(Operation *start, FlatSymbolRefAttr group);
  void stageRows(zero::AllReduceStartOp op);

  const ArenaOptions options;
  SmallVector<dsrt_layout_group> groups;
  SmallVector<Type> groupTypes;
  SmallVector<dsrt_layout_state> states;
  SmallVector<uint64_t> inputs;
  llvm::DenseMap<StringAttr, int32_t> groupIndices;
  /// By parameter: its group, and where it begins in it.
  llvm::DenseMap<StringAttr, std::pair<int32_t, uint64_t>> segments;
  /// By element type: the largest group that is reduced, for each place in a
  /// message.
  llvm::MapVector<Type, SmallVector<int32_t, 1>> shardStaging;
  /// By element type: the elements of the longest message.
  llvm::MapVector<Type, int64_t> rowStaging;
};

uint32_t getElementBytes(Type elementType) {
  return static_cast<uint32_t>(exec::getElementBytes(elementType));
}

dsrt_state_class getStateClass(train::StateKind kind) {
  switch (kind) {
  case train::StateKind::Gradient:
    return DSRT_CLASS_GRADIENT;
  case train::StateKind::Moment:
    return DSRT_CLASS_OPTIMIZER;
  default:
    return DSRT_CLASS_SCALAR;
  }
}

} // namespace

LayoutTable::LayoutTable(ModuleOp module, const ArenaOptions &options)
    : options(options) {
  for (auto group : module.getOps<zero::GroupOp>())
    addGroup(group);
  llvm::SetVector<std::pair<Attribute, Type>> distinctInputs;
  for (Operation &op : *module.getBody()) {
    if (auto parameter = dyn_cast<train::ParameterOp>(op)) {
      addState(parameter.getSymNameAttr(), parameter.getType(),
               DSRT_CLASS_PARAMETER);
    } else if (auto state = dyn_cast<train::StateOp>(op)) {
      FlatSymbolRefAttr owner = state.getParameterAttr();
      addState(owner ? owner.getAttr() : StringAttr(), state.getType(),
               getStateClass(state.getKind()), state.getOffloaded());
    } else if (auto entry = dyn_cast<train::EntryOp>(op)) {
      for (Operation &inner : entry.getBody().front())
        addStaging(&inner);
      for (BlockArgument argument : entry.getBody().getArguments())
        distinctInputs.insert(
            {entry.getArgAttr(argument.getArgNumber(), "dsc.name"),
             argument.getType()});
    }
  }
  for (const auto &[type, positions] : shardStaging)
    for (int32_t group : positions)
      states.push_back({groups[group].elements, getElementBytes(type),
                        DSRT_CLASS_STAGING, group, 0, 0});
  for (auto [type, elements] : rowStaging)
    states.push_back({static_cast<uint64_t>(elements * options.maxWorld),
                      getElementBytes(type), DSRT_CLASS_STAGING, -1, 0, 0});
  for (auto [name, type] : distinctInputs) {
    auto tensor = cast<RankedTensorType>(type);
    inputs.push_back(tensor.getNumElements() *
                     getElementBytes(tensor.getElementType()));
  }
}

void LayoutTable::addGroup(zero::GroupOp group) {
  auto index = static_cast<int32_t>(groups.size());
  groupIndices[group.getSymNameAttr()] = index;
  groupTypes.push_back(group.getType());
  groups.push_back({static_cast<uint64_t>(group.getElements()),
                    getElementBytes(group.getType()),
                    static_cast<uint32_t>(group.getStage())});
  for (zero::SegmentAttr segment : group.getSegmentRange())
    segments[segment.getTensor().getAttr()] = {
        index, static_cast<uint64_t>(segment.getOffset())};
}

void LayoutTable::addState(StringAttr owner, Type type,
                           dsrt_state_class stateClass, bool isOffloaded) {
  auto tensor = cast<RankedTensorType>(type);
  auto [group, offset] = owner && segments.contains(owner)
                             ? segments.lookup(owner)
                             : std::pair<int32_t, uint64_t>(-1, 0);
  states.push_back({static_cast<uint64_t>(tensor.getNumElements()),
                    getElementBytes(tensor.getElementType()),
                    static_cast<uint32_t>(stateClass), group, offset,
                    isOffloaded});
}

/// One area for each element type takes what the longest exchange receives.
void LayoutTable::addStaging(Operation *op) {
  if (auto start = dyn_cast<zero::ReduceScatterStartOp>(op))
    stageShards(start, start.getGroupAttr());
  else if (auto start = dyn_cast<zero::AllReduceGradientsStartOp>(op))
    stageShards(start, start.getGroupAttr());
  else if (auto start = dyn_cast<zero::ReduceGradientsStartOp>(op))
    stageShards(start, start.getGroupAttr());
  else if (auto start = dyn_cast<zero::AllReduceStartOp>(op))
    stageRows(start);
}

void LayoutTable::stageShards(Operation *start, FlatSymbolRefAttr name) {
  auto it = groupIndices.find(name.getAttr());
  if (it == groupIndices.end())
    return;
  int32_t group = it->second;
  size_t position = 0;
  for (Operation *op = start; op && op->hasAttr(zero::kJoinAttrName);
       op = op->getPrevNode())
    ++position;
  SmallVector<int32_t, 1> &positions = shardStaging[groupTypes[group]];
  if (positions.size() <= position)
    positions.push_back(group);
  else if (groups[positions[position]].elements < groups[group].elements)
    positions[position] = group;
}

void LayoutTable::stageRows(zero::AllReduceStartOp op) {
  llvm::MapVector<Type, int64_t> messages;
  for (Value value : op.getValues()) {
    auto type = cast<RankedTensorType>(value.getType());
    messages[type.getElementType()] += type.getNumElements();
  }
  for (auto [type, elements] : messages)
    rowStaging[type] = std::max(rowStaging[type], elements);
}

std::optional<uint64_t> LayoutTable::computeBytes(uint32_t ranks) const {
  dsrt_layout_table table{groups.data(),
                          states.data(),
                          inputs.data(),
                          static_cast<uint32_t>(groups.size()),
                          static_cast<uint32_t>(states.size()),
                          static_cast<uint32_t>(inputs.size()),
                          static_cast<uint32_t>(options.unit),
                          /*arena_bytes=*/0};
  std::vector<dsrt_layout_place> places(states.size());
  std::vector<uint64_t> inputOffsets(inputs.size());
  std::vector<uint64_t> bounds(groups.size() * (size_t(ranks) + 1));
  dsrt_layout layout = {};
  layout.places = places.data();
  layout.input_offsets = inputOffsets.data();
  layout.bounds = bounds.data();
  if (dsrt_layout_compute(&table, ranks, /*weights=*/nullptr, /*rank=*/0,
                          &layout) != DSRT_LAYOUT_OK)
    return std::nullopt;
  return layout.total_bytes;
}

std::optional<uint64_t> dsc::getStateBytes(ModuleOp module, uint32_t ranks,
                                           const ArenaOptions &options) {
  return LayoutTable(module, options).computeBytes(ranks);
}
