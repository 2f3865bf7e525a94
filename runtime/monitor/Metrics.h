#ifndef DSC_RUNTIME_MONITOR_METRICS_H
#define DSC_RUNTIME_MONITOR_METRICS_H

#include "runtime/monitor/Monitor.h"

#include <cstdio>
#include <memory>
#include <string>

namespace dsc::runtime {

/// A file of JSON objects, one for each report, each a line that is flushed
/// when it is complete; docs/monitoring.md lists the keys. Numbers that are not
/// finite are null.
class Metrics : public Monitor {
public:
  /// Opens the file, or creates it; what is in it stays until training starts.
  static Result<std::unique_ptr<Metrics>> open(const std::string &path);

  Status onStart(uint64_t step, uint64_t samples) override;
  Status onUpdate(const StepReport &report) override;
  Status onEvaluation(const EvalReport &report) override;
  Status onSave(const SaveReport &report) override;
  Status onLayerNorms(const StepReport &report,
                      std::span<const LayerNorm> norms) override;
  Status close() override;

private:
  struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };

  Metrics(std::string path, std::FILE *file)
      : path(std::move(path)), file(file) {}

  Status writeLine(const std::string &line);
  Status failure() const;

  std::string path;
  std::unique_ptr<std::FILE, CloseFile> file;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MONITOR_METRICS_H
