#ifndef DSC_RUNTIME_MONITOR_METRICS_H
#define DSC_RUNTIME_MONITOR_METRICS_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace dsc::runtime {

/// What an update reports.
struct StepReport {
  uint64_t step = 0; ///< From 1.
  double loss = 0;   ///< Mean over the weights of the batch.
  double learningRate = 0;
  double gradientNorm = 0; ///< Before clipping.
  double weight = 0;       ///< Weight of the batch; 0: nothing was learnt.
  double skipped = 0;      ///< Updates passed over so far, as not finite.
  double seconds = 0;      ///< Wall time, loading of the batch included.
  /// Bytes that the other ranks sent to this one, if there are others.
  std::optional<uint64_t> receivedBytes;
};

/// What an evaluation reports.
struct EvalReport {
  double loss = 0;
  std::optional<double> accuracy; ///< 0 to 1, where labels are classes.
  uint64_t samples = 0;
  double weight = 0;  ///< Of all of them; 0: there is no loss.
  double correct = 0; ///< With accuracy only: labels that were predicted.
};

/// A file of JSON objects, one for each update, each a line that is flushed
/// when it is complete: step, loss, lr, grad_norm, step_seconds, and
/// among several ranks received_bytes, of rank 0. Numbers that are not finite
/// are null.
class Metrics {
public:
  /// Truncates the file. An empty path makes a sink that writes nothing.
  static Result<Metrics> open(const std::string &path);

  Status write(const StepReport &report);

  /// Flushes and closes, so that a full disk is seen.
  Status close();

private:
  struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };

  Metrics(std::string path, std::FILE *file)
      : path(std::move(path)), file(file) {}

  std::string path;
  std::unique_ptr<std::FILE, CloseFile> file;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MONITOR_METRICS_H
