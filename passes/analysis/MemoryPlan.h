/// Where each buffer lies in an arena, so that buffers whose lives do not meet
/// share bytes.
///
/// Two buffers may share bytes if all accesses to the one happen before all
/// accesses to the other. Across streams that takes an event: issue order alone
/// is no proof. A buffer that consists of others at fixed offsets (the tensors
/// of a gathered group) is one buffer with members.
///
/// The plan is a function of its input alone. Time is quadratic in the number
/// of buffers with a small constant: 10^4 buffers take a tenth of a second
/// where one of the first orders gives the smallest peak that there can be, and
/// less than two seconds otherwise.

#ifndef DSC_PASSES_ANALYSIS_MEMORYPLAN_H
#define DSC_PASSES_ANALYSIS_MEMORYPLAN_H

#include "passes/analysis/HappensBefore.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <vector>

namespace dsc {

/// From the first to the last access of a buffer, in all streams.
class Lifetime {
public:
  void add(const Point &point);
  /// What the buffer holds is read after the program.
  void extendToEnd() { end.fill(UINT32_MAX); }
  bool isBefore(const Lifetime &other) const {
    // All streams, without a branch: this is what planning spends its time on.
    bool before = true;
    for (unsigned i = 0; i < kMaxStreams; ++i)
      before &= end[i] <= other.begin[i];
    return before;
  }
  bool overlaps(const Lifetime &other) const {
    return !isBefore(other) && !other.isBefore(*this);
  }
  /// What is done, in each stream, before any access.
  const Clock &getBegin() const { return begin; }
  /// Ops between first and last access, at least; for ordering only.
  uint64_t getLength() const;

private:
  /// What is done whenever the buffer is accessed: all, if it never is.
  Clock begin = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
  /// What must be done before the bytes are free.
  Clock end = {};
};

class MemoryPlan {
public:
  using Buffer = unsigned;

  /// A buffer of its own. `alignment` is a power of two.
  Buffer addBuffer(int64_t bytes, int64_t alignment);
  /// A byte range of another buffer; an access to it is one to all of it.
  Buffer addMember(Buffer parent, int64_t offset);

  /// Accesses are added in the order of issue, those of one op together.
  void addAccess(Buffer buffer, const Point &point);
  void extendToEnd(Buffer buffer);

  /// Places all buffers; to be called once, after all accesses are known.
  void compute();

  int64_t getOffset(Buffer buffer) const;
  /// The buffer of its own that `buffer` is or is a member of.
  Buffer getWhole(Buffer buffer) const { return entries[buffer].parent; }
  /// End of the highest buffer.
  int64_t getPeak() const { return peak; }

  /// No plan has a smaller peak, rounded up to the smallest alignment: the
  /// largest sum of bytes, each rounded up likewise, that are in use at one op,
  /// from first to last access in an order in which the ops may run. Looked at
  /// are two: the order of issue, and that in which stream 0 runs ahead and the
  /// others do what it waits for, when it does.
  int64_t getLowerBound() const;

private:
  struct Entry {
    Buffer parent; ///< Itself for a buffer of its own.
    int64_t offset;
    int64_t bytes;
    int64_t alignment;
    Lifetime lifetime;
    /// Positions in the order of issue; none if it is never accessed.
    uint32_t first = UINT32_MAX, last = 0;
    /// Position from which on ops may run while the buffer is in use: what was
    /// issued before is done when it is first accessed.
    uint32_t earliest = UINT32_MAX;
    /// For each stream, number of the first and of the last access in it; none
    /// if first > last.
    std::array<uint32_t, kMaxStreams> firstOps = {UINT32_MAX, UINT32_MAX,
                                                  UINT32_MAX, UINT32_MAX};
    std::array<uint32_t, kMaxStreams> lastOps = {};
  };

  /// An op that accesses anything.
  struct Op {
    uint32_t position; ///< In the order of issue.
    Point point;
  };
  /// For each op of each stream, where it stands among those of all.
  using Positions = std::array<std::vector<uint32_t>, kMaxStreams>;

  uint32_t getEarliest(const Entry &entry) const;
  Positions getIssueOrder() const;
  Positions getLateOrder() const;
  int64_t getLargestSum(const Positions &positions) const;

  /// Offsets and peak of placing buffers one after the other in `order`.
  int64_t place(llvm::ArrayRef<Buffer> order,
                llvm::MutableArrayRef<int64_t> offsets) const;

  llvm::SmallVector<Entry> entries;
  std::array<std::vector<Op>, kMaxStreams> streams;
  uint32_t issued = 0; ///< Ops of all streams.
  int64_t peak = 0;
};

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_MEMORYPLAN_H
