#ifndef DSC_RUNTIME_DRIVER_TIMELINE_H
#define DSC_RUNTIME_DRIVER_TIMELINE_H

#include "runtime/base/EventRecorder.h"
#include "runtime/driver/Options.h"
#include "runtime/driver/Trainer.h"
#include "runtime/program/Session.h"

#include <optional>
#include <string>

namespace dsc::runtime {

/// Measures what each stream of each rank does in one update, and writes it as
/// a Chrome trace: docs/timeline.md. All ranks measure; rank 0 writes.
class Timeline {
public:
  /// For a training that goes on from `stepsDone` to `totalSteps` updates. None
  /// is measured unless the options ask for it.
  static Result<Timeline> create(const RunOptions &options,
                                 const Module &module, const Dataset &data,
                                 const TrainingPlan &plan, uint64_t stepsDone,
                                 uint64_t totalSteps);

  /// Before update `step` and after it, on all ranks.
  void begin(Session &session, uint64_t step);
  Status end(Session &session, uint64_t step);

  /// A line about what was measured; empty if there is nothing to say. On rank
  /// 0 alone.
  std::string summary() const;

private:
  using Event = EventRecorder::Event;

  /// Seconds of an update, as means over ranks.
  struct Times {
    double whole = 0, compute = 0, exposed = 0;
  };

  Result<std::vector<std::vector<Event>>> gatherEvents(Session &session) const;
  Times measure(const std::vector<std::vector<Event>> &events) const;
  Status write(const Manifest &manifest,
               const std::vector<std::vector<Event>> &events,
               const Times &times) const;

  std::string path;
  uint64_t step = 0; ///< Update to measure; 0: none.
  std::optional<EventRecorder> recorder;
  std::string line;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_TIMELINE_H
