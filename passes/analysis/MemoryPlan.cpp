#include "passes/analysis/MemoryPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>
#include <vector>

using namespace dsc;

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
  entries[entries[buffer].parent].lifetime.add(point);
}

void MemoryPlan::extendToEnd(Buffer buffer) {
  entries[entries[buffer].parent].lifetime.extendToEnd();
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
  llvm::SmallVector<Buffer> order;
  std::vector<double> area(entries.size());
  for (auto [buffer, entry] : llvm::enumerate(entries)) {
    if (entry.parent != buffer)
      continue;
    order.push_back(buffer);
    area[buffer] =
        static_cast<double>(entry.bytes) * entry.lifetime.getLength();
  }

  // Big ones first is near best fit. Where a few long-lived buffers dominate,
  // placing by bytes times life is better; the lower peak wins.
  llvm::SmallVector<Buffer> byArea = order;
  llvm::sort(order, [&](Buffer a, Buffer b) {
    return std::pair(-entries[a].bytes, a) < std::pair(-entries[b].bytes, b);
  });
  llvm::sort(byArea, [&](Buffer a, Buffer b) {
    return std::pair(-area[a], a) < std::pair(-area[b], b);
  });

  std::vector<int64_t> offsets(entries.size()), others(entries.size());
  peak = place(order, offsets);
  if (int64_t other = place(byArea, others); other < peak) {
    peak = other;
    offsets.swap(others);
  }
  for (Buffer buffer : order)
    entries[buffer].offset = offsets[buffer];
}
