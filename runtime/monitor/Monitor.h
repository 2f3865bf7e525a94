#ifndef DSC_RUNTIME_MONITOR_MONITOR_H
#define DSC_RUNTIME_MONITOR_MONITOR_H

#include "runtime/base/Status.h"
#include "runtime/monitor/Report.h"

#include <span>

namespace dsc::runtime {

/// Watches a run and never steers it: reports are all that it sees. Called by
/// the thread that trains, on rank 0 only, in the order of the steps. A failure
/// ends the run at that step, since a record with a hole in it is worse than
/// none.
class Monitor {
public:
  virtual ~Monitor() = default;

  /// Training starts after `step` updates and `samples` samples, 0 if it is not
  /// resumed: what a former run wrote of later ones is no longer true.
  virtual Status onStart(uint64_t step, uint64_t samples) { return {}; }

  virtual Status onUpdate(const StepReport &report) { return {}; }
  virtual Status onEvaluation(const EvalReport &report) { return {}; }
  virtual Status onSave(const SaveReport &report) { return {}; }

  /// Follows the report of its update.
  virtual Status onLayerNorms(const StepReport &report,
                              std::span<const LayerNorm> norms) {
    return {};
  }

  /// The run has ended, well or not; nothing is reported any more.
  virtual Status close() { return {}; }
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MONITOR_MONITOR_H
