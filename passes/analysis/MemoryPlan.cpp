#include "passes/analysis/MemoryPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace dsc;

/// How long plans are improved: rounds, and pairs of buffers looked at in them.
static constexpr size_t kMostRounds = 64, kMostPairs = size_t(1) << 28;

/// Plans are good enough if at most this part of the bound lies above it.
static constexpr int64_t kNegligible = 1024;

//===----------------------------------------------------------------------===//
// Lifetime
//===----------------------------------------------------------------------===//

void Lifetime::add(const Point &point) {
  for (unsigned i = 0; i < kMaxStreams; ++i)
    begin[i] = std::min(begin[i], point.clock[i]);
  end[point.stream] = std::max(end[point.stream], point.index + 1);
}

uint64_t Lifetime::getLength() const {
  uint64_t length = 0;
  for (unsigned i = 0; i < kMaxStreams; ++i)
    length += end[i] > begin[i] ? end[i] - begin[i] : 0;
  return length;
}

//===----------------------------------------------------------------------===//
// MemoryPlan
//===----------------------------------------------------------------------===//

MemoryPlan::Buffer MemoryPlan::addBuffer(int64_t bytes, int64_t alignment) {
  Buffer buffer = entries.size();
  entries.push_back({buffer, 0, bytes, alignment, {}});
  return buffer;
}

MemoryPlan::Buffer MemoryPlan::addMember(Buffer parent, int64_t offset) {
  const Entry &entry = entries[parent];
  int64_t base = entry.parent == parent ? 0 : entry.offset;
  Buffer root = entry.parent;
  entries.push_back({root, base + offset, 0, 1, {}});
  return entries.size() - 1;
}

void MemoryPlan::addAccess(Buffer buffer, const Point &point) {
  std::vector<Op> &stream = streams[point.stream];
  if (stream.empty() || stream.back().point.index != point.index)
    stream.push_back({issued++, point});
  Entry &entry = entries[entries[buffer].parent];
  entry.lifetime.add(point);
  entry.first = std::min(entry.first, issued - 1);
  entry.last = issued - 1;
  uint32_t op = stream.size() - 1;
  entry.firstOps[point.stream] = std::min(entry.firstOps[point.stream], op);
  entry.lastOps[point.stream] = op;
}

void MemoryPlan::extendToEnd(Buffer buffer) {
  Entry &entry = entries[entries[buffer].parent];
  entry.lifetime.extendToEnd();
  entry.first = std::min(entry.first, issued);
  entry.last = UINT32_MAX;
}

uint32_t MemoryPlan::getEarliest(const Entry &entry) const {
  uint32_t earliest = entry.first;
  for (auto [stream, done] :
       llvm::zip_equal(streams, entry.lifetime.getBegin())) {
    auto op = llvm::partition_point(
        stream, [&](const Op &op) { return op.point.index < done; });
    if (op != stream.end())
      earliest = std::min(earliest, op->position);
  }
  return earliest;
}

//===----------------------------------------------------------------------===//
// The lower bound
//===----------------------------------------------------------------------===//

MemoryPlan::Positions MemoryPlan::getIssueOrder() const {
  Positions positions;
  for (unsigned stream = 0; stream < kMaxStreams; ++stream)
    for (const Op &op : streams[stream])
      positions[stream].push_back(op.position);
  return positions;
}

/// An op of another stream stands right ahead of the first op of stream 0 that
/// it happens before; ops that stand there together keep their order.
MemoryPlan::Positions MemoryPlan::getLateOrder() const {
  struct Key {
    uint32_t before, position, stream, op;
  };
  std::vector<Key> keys;
  for (unsigned stream = 0; stream < kMaxStreams; ++stream) {
    auto waiting = streams[0].begin();
    for (auto [number, op] : llvm::enumerate(streams[stream])) {
      if (stream != 0)
        while (waiting != streams[0].end() &&
               !op.point.isBefore(waiting->point))
          ++waiting;
      uint32_t before = stream == 0 ? number : waiting - streams[0].begin();
      // The op that waits is the last of those at its place.
      uint32_t position = stream == 0 ? UINT32_MAX : op.position;
      keys.push_back({before, position, stream, uint32_t(number)});
    }
  }
  llvm::sort(keys, [](const Key &a, const Key &b) {
    return std::pair(a.before, a.position) < std::pair(b.before, b.position);
  });
  Positions positions;
  for (unsigned stream = 0; stream < kMaxStreams; ++stream)
    positions[stream].resize(streams[stream].size());
  for (auto [position, key] : llvm::enumerate(keys))
    positions[key.stream][key.op] = position;
  return positions;
}

int64_t MemoryPlan::getLargestSum(const Positions &positions) const {
  // All buffers begin at multiples of this.
  int64_t unit = std::numeric_limits<int64_t>::max();
  for (auto [buffer, entry] : llvm::enumerate(entries))
    if (entry.parent == buffer)
      unit = std::min(unit, entry.alignment);
  std::vector<int64_t> changes(issued + 1);
  for (auto [buffer, entry] : llvm::enumerate(entries)) {
    uint32_t first = UINT32_MAX, last = 0;
    for (unsigned stream = 0; stream < kMaxStreams; ++stream)
      if (entry.firstOps[stream] != UINT32_MAX) {
        first = std::min(first, positions[stream][entry.firstOps[stream]]);
        last = std::max(last, positions[stream][entry.lastOps[stream]]);
      }
    if (entry.parent != buffer || first == UINT32_MAX)
      continue;
    int64_t bytes = llvm::alignToPowerOf2(entry.bytes, unit);
    changes[first] += bytes;
    if (entry.last != UINT32_MAX) // Not read behind the program.
      changes[last + 1] -= bytes;
  }
  int64_t bytes = 0, most = 0;
  for (int64_t change : changes) {
    bytes += change;
    most = std::max(most, bytes);
  }
  return most;
}

int64_t MemoryPlan::getLowerBound() const {
  return std::max(getLargestSum(getIssueOrder()),
                  getLargestSum(getLateOrder()));
}

int64_t MemoryPlan::getOffset(Buffer buffer) const {
  const Entry &entry = entries[buffer];
  return entry.parent == buffer ? entry.offset
                                : entries[entry.parent].offset + entry.offset;
}

int64_t MemoryPlan::place(llvm::ArrayRef<Buffer> order,
                          llvm::MutableArrayRef<int64_t> offsets) const {
  struct Placed {
    uint32_t earliest, first, last; ///< As of the entry.
    Buffer buffer;
    int64_t begin, end;
  };
  std::vector<Placed> placed; // by begin
  placed.reserve(order.size());
  int64_t highest = 0;
  for (Buffer buffer : order) {
    const Entry &entry = entries[buffer];
    // The smallest gap between buffers that live at the same time, or behind
    // all of them.
    int64_t cursor = 0, best = -1;
    int64_t bestGap = std::numeric_limits<int64_t>::max();
    for (const Placed &other : placed) {
      // Most can be told by when they were issued.
      if (other.last < entry.earliest || entry.last < other.earliest)
        continue;
      bool meets = other.first <= entry.last && entry.first <= other.last;
      if (!meets && !entry.lifetime.overlaps(entries[other.buffer].lifetime))
        continue;
      if (int64_t gap = other.begin - cursor; gap >= entry.bytes) {
        int64_t begin = llvm::alignToPowerOf2(cursor, entry.alignment);
        gap = other.begin - begin;
        if (gap >= entry.bytes && gap < bestGap) {
          best = begin;
          bestGap = gap;
        }
      }
      cursor = std::max(cursor, other.end);
    }
    if (best < 0)
      best = llvm::alignToPowerOf2(cursor, entry.alignment);
    offsets[buffer] = best;
    int64_t end = best + entry.bytes;
    highest = std::max(highest, end);
    auto behind = llvm::upper_bound(placed, best,
                                    [](int64_t offset, const Placed &other) {
                                      return offset < other.begin;
                                    });
    placed.insert(behind,
                  {entry.earliest, entry.first, entry.last, buffer, best, end});
  }
  return highest;
}

void MemoryPlan::compute() {
  std::vector<Buffer> roots;
  for (auto [buffer, entry] : llvm::enumerate(entries))
    if (entry.parent == buffer) {
      entry.earliest = getEarliest(entry);
      roots.push_back(buffer);
    }
  const int64_t lowerBound = getLowerBound();
  const int64_t bound = lowerBound + lowerBound / kNegligible;
  std::vector<int64_t> offsets(entries.size()), best;
  peak = std::numeric_limits<int64_t>::max();
  auto tryOrder = [&](llvm::ArrayRef<Buffer> order) {
    int64_t highest = place(order, offsets);
    if (highest < peak) {
      peak = highest;
      best = offsets;
    }
    return highest;
  };

  // Big ones first is near best fit. Where a few long-lived buffers dominate,
  // an order that minds lives is better; which one depends on how they nest.
  using Key = double (*)(const Entry &);
  static constexpr Key kKeys[] = {
      [](const Entry &entry) { return double(entry.bytes); },
      [](const Entry &entry) {
        return double(entry.bytes) * double(entry.lifetime.getLength());
      },
      [](const Entry &entry) {
        return double(entry.bytes) *
               std::sqrt(double(entry.lifetime.getLength()));
      },
      [](const Entry &entry) { return double(entry.last); },
      [](const Entry &entry) { return double(entry.lifetime.getLength()); },
  };
  std::vector<Buffer> order = roots;
  for (Key key : kKeys) {
    if (peak <= bound)
      break;
    std::vector<double> keys;
    for (const Entry &entry : entries)
      keys.push_back(key(entry));
    llvm::sort(order, [&](Buffer a, Buffer b) {
      return std::pair(-keys[a], a) < std::pair(-keys[b], b);
    });
    tryOrder(order);
  }

  // What came to lie highest had no better place left, so it is placed first in
  // the next round (as in squeaky wheel optimization: Joslin and Clements,
  // JAIR 10, 1999).
  const size_t pairs = std::max<size_t>(roots.size() * roots.size(), 1);
  const size_t rounds = std::min(kMostRounds, kMostPairs / pairs);
  for (size_t round = 0; round < rounds && peak > bound; ++round) {
    int64_t highest = tryOrder(order);
    auto top = llvm::find_if(order, [&](Buffer buffer) {
      return offsets[buffer] + entries[buffer].bytes == highest;
    });
    if (top != order.end())
      std::rotate(order.begin(), top, std::next(top));
  }
  for (Buffer buffer : roots)
    entries[buffer].offset = best[buffer];
}
