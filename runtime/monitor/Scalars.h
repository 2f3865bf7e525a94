#ifndef DSC_RUNTIME_MONITOR_SCALARS_H
#define DSC_RUNTIME_MONITOR_SCALARS_H

#include "runtime/monitor/Monitor.h"

#include <string>
#include <vector>

namespace dsc::runtime {

/// One point of a curve.
struct Scalar {
  std::string name; ///< Such as Train/Samples/train_loss.
  double value;
};

/// A monitor that draws curves over the samples that all ranks have trained on.
/// Names are DeepSpeed's where it has one, so that its users find their curves.
class ScalarMonitor : public Monitor {
public:
  Status onUpdate(const StepReport &report) final;
  Status onEvaluation(const EvalReport &report) final;
  Status onSave(const SaveReport &report) final;
  Status onLayerNorms(const StepReport &report,
                      std::span<const LayerNorm> norms) final;

protected:
  virtual Status write(uint64_t samples, std::span<const Scalar> scalars) = 0;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MONITOR_SCALARS_H
