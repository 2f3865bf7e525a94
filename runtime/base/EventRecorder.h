#ifndef DSC_RUNTIME_BASE_EVENTRECORDER_H
#define DSC_RUNTIME_BASE_EVENTRECORDER_H

#include <array>
#include <cstdint>
#include <vector>

namespace dsc::runtime {

/// What a rank's streams did, and when. Room is made before; recording an event
/// takes two readings of the clock and allocates nothing.
class EventRecorder {
public:
  /// The streams of dsrt.h, by their numbers, and one for calls of entry points
  /// as a whole.
  static constexpr uint32_t kStreams = 3, kRuns = kStreams;

  struct Event {
    int64_t begin, end; ///< As now() tells them.
    uint32_t run;       ///< Which call of an entry point it is in, from 0 on.
    /// Of the call of the runtime in the program; of a run, the entry's index.
    uint32_t ordinal;
    uint32_t stream;
    uint32_t isWait; ///< Of the compute stream for another one.
  };

  /// Most events of each stream, and of runs.
  using Room = std::array<uint64_t, kStreams + 1>;

  explicit EventRecorder(const Room &room);

  /// Nanoseconds of CLOCK_MONOTONIC, which the processes of a host share.
  static int64_t now();

  // By the thread that runs the entry point, between its runs:
  void clear();
  void beginRun(uint32_t entry);
  void endRun();

  // By that thread while it runs one:
  /// Counts a call and returns its ordinal.
  uint32_t nextCall() { return calls++; }
  /// Of the call that was counted last.
  uint32_t lastCall() const { return calls - 1; }

  /// By the one thread of a stream, and on `stream` 0 by that which runs the
  /// entry point. What finds no room is counted.
  void add(uint32_t stream, uint32_t ordinal, int64_t begin, bool isWait);

  /// All events, when no run is in progress.
  std::vector<Event> events() const;
  uint64_t dropped() const;

private:
  struct alignas(64) Lane {
    std::vector<Event> events;
    uint64_t count = 0, dropped = 0;
  };

  void put(Lane &lane, const Event &event);

  std::array<Lane, kStreams + 1> lanes;
  uint32_t runs = 0, calls = 0, entry = 0;
  int64_t runBegin = 0;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_BASE_EVENTRECORDER_H
