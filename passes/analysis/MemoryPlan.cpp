#include "passes/analysis/MemoryPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace dsc;

/// How long plans are improved: rounds, and pairs of buffers looked at in them.
static constexpr size_t kMostRounds = 64, kMostPairs = size_t(1) << 28;

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
  std::pair<unsigned, uint32_t> op{point.stream, point.index};
  if (op != lastOp) {
    lastOp = op;
    ++issued;
  }
  Entry &entry = entries[entries[buffer].parent];
  entry.lifetime.add(point);
  entry.first = std::min(entry.first, issued);
  entry.last = issued;
}

void MemoryPlan::extendToEnd(Buffer buffer) {
  Entry &entry = entries[entries[buffer].parent];
  entry.lifetime.extendToEnd();
  entry.first = std::min(entry.first, issued);
  entry.last = UINT32_MAX;
}

int64_t MemoryPlan::getLowerBound() const {
  std::vector<int64_t> changes(issued + 2);
  for (auto [buffer, entry] : llvm::enumerate(entries)) {
    if (entry.parent != buffer || entry.first == UINT32_MAX)
      continue;
    int64_t bytes = llvm::alignTo(entry.bytes, entry.alignment);
    changes[entry.first] += bytes;
    if (entry.last <= issued)
      changes[entry.last + 1] -= bytes;
  }
  int64_t bytes = 0, most = 0;
  for (int64_t change : changes) {
    bytes += change;
    most = std::max(most, bytes);
  }
  return most;
}

int64_t MemoryPlan::getOffset(Buffer buffer) const {
  const Entry &entry = entries[buffer];
  return entry.parent == buffer ? entry.offset
                                : entries[entry.parent].offset + entry.offset;
}

int64_t MemoryPlan::place(llvm::ArrayRef<Buffer> order,
                          llvm::MutableArrayRef<int64_t> offsets) const {
  struct Placed {
    int64_t begin, end;
    Lifetime lifetime;
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
      if (!entry.lifetime.overlaps(other.lifetime))
        continue;
      int64_t begin = llvm::alignTo(cursor, entry.alignment);
      int64_t gap = other.begin - begin;
      if (gap >= entry.bytes && gap < bestGap) {
        best = begin;
        bestGap = gap;
      }
      cursor = std::max(cursor, other.end);
    }
    if (best < 0)
      best = llvm::alignTo(cursor, entry.alignment);
    offsets[buffer] = best;
    highest = std::max(highest, best + entry.bytes);
    Placed mine{best, best + entry.bytes, entry.lifetime};
    placed.insert(llvm::upper_bound(placed, mine,
                                    [](const Placed &a, const Placed &b) {
                                      return a.begin < b.begin;
                                    }),
                  mine);
  }
  return highest;
}

void MemoryPlan::compute() {
  std::vector<Buffer> roots;
  for (auto [buffer, entry] : llvm::enumerate(entries))
    if (entry.parent == buffer)
      roots.push_back(buffer);
  const int64_t bound = getLowerBound();
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
