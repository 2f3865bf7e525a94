#ifndef DSC_PASSES_ANALYSIS_STREAMSIMULATION_H
#define DSC_PASSES_ANALYSIS_STREAMSIMULATION_H

#include "passes/analysis/HappensBefore.h"
#include "llvm/ADT/SmallVector.h"

namespace dsc {

/// When work runs, in seconds from the begin of a program. Streams run what is
/// issued to them in order; between streams only events order work.
class StreamSimulation {
public:
  struct Span {
    double begin, end;
  };

  /// `computeShare`: what part of its speed stream 0 loses while another works.
  explicit StreamSimulation(double computeShare) : share(computeShare) {}

  /// Issues work that takes `seconds` by itself.
  Span issue(unsigned stream, double seconds);

  /// Records an event. Returns false, and does nothing, if it was recorded.
  bool record(unsigned stream, int64_t event);

  /// Makes what follows on the stream wait for an event. Returns false, and
  /// does nothing, if it was not recorded.
  bool wait(unsigned stream, int64_t event);

  /// When all that was issued to the stream is done.
  double getTime(unsigned stream) const { return times[stream]; }

  /// When all streams are done.
  double finish() const;

private:
  double share;
  std::array<double, kMaxStreams> times = {};
  llvm::DenseMap<int64_t, double> events;
  /// When other streams work, in order; those behind which stream 0 already is
  /// are skipped.
  llvm::SmallVector<Span> others;
  size_t firstOther = 0;
};

} // namespace dsc

#endif // DSC_PASSES_ANALYSIS_STREAMSIMULATION_H
