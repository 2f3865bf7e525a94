#include "runtime/checkpoint/Shard.h"
#include "runtime/checkpoint/SavedState.h"
#include "runtime/data/DurableFile.h"
#include "runtime/data/Safetensors.h"

#include <algorithm>
#include <cstring>

using namespace dsc::runtime;

namespace {

/// A whole tensor has its own name and shape, a piece the flat range.
TensorHeader headerOf(const Shard::Piece &piece, const Manifest::State &state) {
  uint64_t elements = piece.end - piece.begin;
  if (elements == state.layout.elements)
    return {state.name, state.type, state.shape, state.bytes};
  return {concat(state.name, "[", piece.begin, ":", piece.end, "]"),
          state.type,
          {int64_t(elements)},
          elements * byteSize(state.type)};
}

} // namespace

Shard::Shard(const Session &session) {
  const Manifest &manifest = session.module().manifest();
  const bool isFirst = session.rank() == 0;
  for (uint32_t i = 0; i < manifest.states.size(); ++i) {
    const Manifest::State &state = manifest.states[i];
    // All ranks hold what is in no group, and nobody a range of nothing.
    bool isUncut = state.layout.group < 0 || state.layout.elements == 0;
    if (!isSaved(state) || (isUncut && !isFirst))
      continue;
    std::span<const std::byte> part = session.part(i);
    uint64_t begin = isUncut ? 0 : session.partBegin(i);
    uint64_t elements = part.size() / byteSize(state.type);
    if (elements || isUncut)
      list.push_back({i, begin, begin + elements, 0, part,
                      state.layout.state_class == DSRT_CLASS_SCALAR});
  }
  // Wider types first: every tensor of the file is aligned without gaps.
  auto order = [&](const Piece &piece) {
    return std::pair(-int64_t(byteSize(manifest.states[piece.state].type)),
                     piece.state);
  };
  std::sort(list.begin(), list.end(), [&](const Piece &a, const Piece &b) {
    return order(a) < order(b);
  });
  std::vector<TensorHeader> tensors;
  for (Piece &piece : list) {
    piece.offset = size;
    size += piece.source.size();
    tensors.push_back(headerOf(piece, manifest.states[piece.state]));
  }
  headerText = safetensorsHeader(
      tensors,
      {{"format", "dsc-checkpoint"},
       {"model", modelHashOf(manifest)},
       {"part", concat(session.rank(), " of ", session.ranks())}},
      DurableFile::kDirectBlock);
}

void Shard::copyScalars(std::byte *snapshot) const {
  copy(snapshot, /*scalars=*/true);
}

void Shard::copyTensors(std::byte *snapshot) const {
  copy(snapshot, /*scalars=*/false);
}

void Shard::copy(std::byte *snapshot, bool scalars) const {
  for (const Piece &piece : list)
    if (piece.isScalar == scalars && !piece.source.empty())
      std::memcpy(snapshot + piece.offset, piece.source.data(),
                  piece.source.size());
}
