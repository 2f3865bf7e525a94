#include "runtime/program/Layout.h"

#include <algorithm>

using namespace dsc::runtime;

Result<Layout> dsc::runtime::computeLayout(const Manifest &manifest,
                                           uint32_t world, uint32_t rank,
                                           std::span<const uint32_t> weights) {
  if (world > manifest.maxWorld)
    return usageError("it was compiled for at most ", manifest.maxWorld,
                      " ranks, not ", world,
                      "; compile it with a larger -max-world");
  if (!weights.empty() && weights.size() != world)
    return usageError("there are ", weights.size(), " shard weights and ",
                      world, world == 1 ? " rank" : " ranks");
  Layout layout;
  layout.world = world;
  layout.rank = rank;
  for (const Manifest::Entry &entry : manifest.entries)
    for (const Manifest::Input &input : entry.inputs)
      if (std::none_of(layout.inputs.begin(), layout.inputs.end(),
                       [&](const auto *seen) {
                         return seen->is(input.name, input.type, input.shape);
                       }))
        layout.inputs.push_back(&input);

  std::vector<dsrt_layout_group> groups;
  for (const Manifest::Group &group : manifest.groups)
    groups.push_back(group.layout);
  for (const Manifest::State &state : manifest.states)
    layout.states.push_back(state.layout);
  std::vector<uint64_t> inputBytes;
  for (const Manifest::Input *input : layout.inputs)
    inputBytes.push_back(input->bytes);

  layout.places.resize(layout.states.size());
  layout.inputOffsets.resize(inputBytes.size());
  layout.bounds.resize(groups.size() * (uint64_t(world) + 1));
  dsrt_layout_table table{groups.data(),
                          layout.states.data(),
                          inputBytes.data(),
                          uint32_t(groups.size()),
                          uint32_t(layout.states.size()),
                          uint32_t(inputBytes.size()),
                          manifest.unit,
                          manifest.arenaBytes};
  dsrt_layout computed{};
  computed.places = layout.places.data();
  computed.input_offsets = layout.inputOffsets.data();
  computed.bounds = layout.bounds.data();
  switch (dsrt_layout_compute(&table, world,
                              weights.empty() ? nullptr : weights.data(), rank,
                              &computed)) {
  case DSRT_LAYOUT_OVERFLOW:
    return inputError("the model's memory exceeds 64-bit addresses");
  case DSRT_LAYOUT_INVALID:
    return inputError("manifest: a state does not fit its group");
  }
  layout.totalBytes = computed.total_bytes;
  layout.offloadOffset = computed.offload_offset;
  layout.offloadBytes = computed.offload_bytes;
  layout.snapshotBytes = computed.snapshot_bytes;
  layout.stateBytes = computed.input_offset - computed.state_offset;
  layout.inputBytes = computed.total_bytes - computed.input_offset;
  return layout;
}

ElementRange Layout::rangeOf(uint32_t state, uint32_t rank) const {
  const dsrt_layout_state &row = states[state];
  if (row.group < 0)
    return {0, row.elements};
  std::span<const uint64_t> cut = boundsOf(row.group);
  uint64_t begin = row.group_offset, end = begin + row.elements;
  uint64_t low = std::clamp(cut[rank], begin, end);
  uint64_t high = std::clamp(cut[rank + 1], begin, end);
  return low == high ? ElementRange{0, 0}
                     : ElementRange{low - begin, high - low};
}
