#ifndef DSC_RUNTIME_MONITOR_REPORT_H
#define DSC_RUNTIME_MONITOR_REPORT_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace dsc::runtime {

/// What an update reports.
struct StepReport {
  uint64_t step = 0; ///< From 1.
  double loss = 0;   ///< Mean over the weights of the batch.
  double learningRate = 0;
  double gradientNorm = 0; ///< Before clipping.
  double weight = 0;       ///< Weight of the batch; 0: nothing was learnt.
  double skipped = 0;      ///< Updates passed over so far, as not finite.
  std::optional<double> lossScale; ///< Where the precision has one.
  uint64_t samples = 0;            ///< Of all ranks, since training began.
  uint64_t batchSamples = 0;       ///< Of these, in this update.

  double seconds = 0;       ///< Wall time of all that follows, on this rank:
  double dataSeconds = 0;   ///< batches put into the inputs,
  double stepSeconds = 0;   ///< forward and backward,
  double updateSeconds = 0; ///< and the optimizer.

  /// Bytes that the other ranks sent to this one, if there are others.
  std::optional<uint64_t> receivedBytes;
};

/// What an evaluation reports.
struct EvalReport {
  uint64_t step = 0;           ///< Updates so far.
  uint64_t trainedSamples = 0; ///< StepReport::samples of the last one.
  double loss = 0;
  std::optional<double> accuracy; ///< 0 to 1, where labels are classes.
  uint64_t samples = 0;           ///< That were evaluated.
  double weight = 0;              ///< Of all of them; 0: there is no loss.
  double correct = 0; ///< With accuracy only: labels that were predicted.
  double seconds = 0; ///< Wall time.
};

/// What a save during training reports.
struct SaveReport {
  uint64_t step = 0;           ///< Updates so far.
  uint64_t trainedSamples = 0; ///< StepReport::samples of the last one.
  double stallSeconds = 0;     ///< For which training waited.
};

/// Norms of a layer's parameters and of their gradients.
struct LayerNorm {
  std::string_view layer;
  double gradientNorm = 0; ///< Before clipping.
  double weightNorm = 0;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MONITOR_REPORT_H
