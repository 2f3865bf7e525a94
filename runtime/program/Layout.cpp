#include "runtime/program/Layout.h"

#include <algorithm>

using namespace dsc::runtime;

Result<Layout> dsc::runtime::computeLayout(const Manifest &manifest,
                                           uint32_t world, uint32_t rank) {
  if (world > manifest.maxWorld)
    return usageError("it was compiled for at most ", manifest.maxWorld,
                      " ranks, not ", world,
                      "; compile it with a larger -max-world");
  Layout layout;
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
  std::vector<dsrt_layout_state> states;
  for (const Manifest::State &state : manifest.states)
    states.push_back(state.layout);
  std::vector<uint64_t> inputBytes;
  for (const Manifest::Input *input : layout.inputs)
    inputBytes.push_back(input->bytes);

  layout.places.resize(states.size());
  layout.inputOffsets.resize(inputBytes.size());
  dsrt_layout_table table{groups.data(),           states.data(),
                          inputBytes.data(),       uint32_t(groups.size()),
                          uint32_t(states.size()), uint32_t(inputBytes.size()),
                          manifest.unit,           manifest.arenaBytes};
  dsrt_layout computed{};
  computed.places = layout.places.data();
  computed.input_offsets = layout.inputOffsets.data();
  switch (dsrt_layout_compute(&table, world, rank, &computed)) {
  case DSRT_LAYOUT_OVERFLOW:
    return inputError("the model's memory exceeds 64-bit addresses");
  case DSRT_LAYOUT_INVALID:
    return inputError("manifest: a state does not fit its group");
  }
  layout.totalBytes = computed.total_bytes;
  layout.stateBytes = computed.input_offset - computed.state_offset;
  layout.inputBytes = computed.total_bytes - computed.input_offset;
  for (const dsrt_layout_group &group : groups) {
    uint64_t elements = 0; // No overflow: the layout has computed it before.
    dsrt_layout_shard_elements(&group, world, manifest.unit, &elements);
    layout.shardBytes.push_back(elements * group.element_bytes);
  }
  return layout;
}
