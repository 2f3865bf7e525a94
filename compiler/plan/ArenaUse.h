#ifndef DSC_COMPILER_PLAN_ARENAUSE_H
#define DSC_COMPILER_PLAN_ARENAUSE_H

#include "passes/analysis/ProgramOperations.h"

#include <vector>

namespace dsc {

/// What a buffer of the step region is for.
enum class BufferUse { Activation, Gather, Reduction };

/// Bytes that are in use at one place.
struct LiveBuffer {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  BufferUse use = BufferUse::Activation;
  OpPlace definedBy;
};

/// How much of the step region is in use while a program runs, operation by
/// operation in the order of issue. A buffer is in use from the first operation
/// that writes any of it to the last one that reads any of it.
struct ArenaUse {
  struct Step {
    OpPlace place;
    uint64_t liveBytes = 0;
  };
  std::vector<Step> steps;
  /// Index in `steps` of the first with the most bytes; 0 if there are none.
  size_t peak = 0;
  /// In use at the peak, by offset. Their bytes add up to the peak's.
  std::vector<LiveBuffer> buffers;

  uint64_t peakBytes() const {
    return steps.empty() ? 0 : steps[peak].liveBytes;
  }
};

ArenaUse computeArenaUse(exec::ProgramOp program);

} // namespace dsc

#endif // DSC_COMPILER_PLAN_ARENAUSE_H
