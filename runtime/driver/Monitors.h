#ifndef DSC_RUNTIME_DRIVER_MONITORS_H
#define DSC_RUNTIME_DRIVER_MONITORS_H

#include "runtime/driver/Options.h"
#include "runtime/monitor/Progress.h"

#include <memory>
#include <vector>

namespace dsc::runtime {

/// All monitors that the command line asks for, told in turn until one fails.
/// Without open(), as on other ranks than 0, there is none.
class Monitors : public Monitor {
public:
  /// Opens their files, so that one that cannot be written is found before the
  /// training; nothing is lost of what they hold.
  Status open(const RunOptions &options, ProgressOptions progress);

  Status onStart(uint64_t step, uint64_t samples) override;
  Status onUpdate(const StepReport &report) override;
  Status onEvaluation(const EvalReport &report) override;
  Status onSave(const SaveReport &report) override;
  Status onLayerNorms(const StepReport &report,
                      std::span<const LayerNorm> norms) override;
  /// Closes all of them and returns the first failure.
  Status close() override;

  /// Before anything is printed past the monitors.
  void endLine() const {
    if (progress)
      progress->endLine();
  }
  void summarise() const {
    if (progress)
      progress->summarise();
  }

private:
  template <typename... Parameters, typename... Arguments>
  Status tell(Status (Monitor::*event)(Parameters...),
              const Arguments &...arguments);

  std::vector<std::unique_ptr<Monitor>> monitors;
  Progress *progress = nullptr; ///< One of them.
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_MONITORS_H
