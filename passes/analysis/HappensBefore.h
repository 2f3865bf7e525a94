/// Which work is known to be done when other work begins.
///
/// Streams run what is issued to them in order; between streams only events
/// order work. Vector clocks answer "before?" in constant time.

#ifndef DSC_PASSES_ANALYSIS_HAPPENSBEFORE_H
#define DSC_PASSES_ANALYSIS_HAPPENSBEFORE_H

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <cstdint>

namespace dsc {

/// Streams are numbered below this: a device has one that computes and a few
/// that move bytes.
inline constexpr unsigned kMaxStreams = 4;

/// For each stream, how many of its ops are done.
using Clock = std::array<uint32_t, kMaxStreams>;

/// One op in one stream.
struct Point {
  unsigned stream;
  /// Number of ops issued to the stream before it.
  uint32_t index;
  /// What is done when it begins.
  Clock clock;

  bool isBefore(const Point &other) const {
    return index < other.clock[stream];
  }
};

/// Follows a program in the order in which it is issued.
class HappensBefore {
public:
  /// Issues an op.
  Point issue(unsigned stream);

  /// Records an event. Returns false, and does nothing, if it was recorded.
  bool record(unsigned stream, int64_t event);

  /// Makes what follows on the stream wait for an event. Returns false, and
  /// does nothing, if it was not recorded.
  bool wait(unsigned stream, int64_t event);

private:
  std::array<Clock, kMaxStreams> streams = {};
  llvm::DenseMap<int64_t, Clock> events;
};

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_HAPPENSBEFORE_H
