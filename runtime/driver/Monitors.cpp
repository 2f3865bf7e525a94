#include "runtime/driver/Monitors.h"
#include "runtime/monitor/Csv.h"
#include "runtime/monitor/Metrics.h"
#include "runtime/monitor/TensorBoard.h"

using namespace dsc::runtime;

Status Monitors::open(const RunOptions &options, ProgressOptions settings) {
  settings.stepsPerPrint = options.stepsPerPrint;
  settings.breakdown = options.wallClockBreakdown;
  auto line = std::make_unique<Progress>(settings);
  progress = line.get();
  monitors.push_back(std::move(line));
  if (!options.metrics.empty()) {
    DSC_ASSIGN(std::unique_ptr<Monitor> metrics,
               Metrics::open(options.metrics));
    monitors.push_back(std::move(metrics));
  }
  for (const MonitorTarget &target : options.monitors) {
    if (target.kind == "csv") {
      DSC_ASSIGN(std::unique_ptr<Monitor> csv, Csv::open(target.directory));
      monitors.push_back(std::move(csv));
    } else {
      DSC_ASSIGN(std::unique_ptr<Monitor> events,
                 TensorBoard::open(target.directory));
      monitors.push_back(std::move(events));
    }
  }
  return {};
}

template <typename... Parameters, typename... Arguments>
Status Monitors::tell(Status (Monitor::*event)(Parameters...),
                      const Arguments &...arguments) {
  for (const std::unique_ptr<Monitor> &monitor : monitors)
    DSC_RETURN_IF_ERROR((*monitor.*event)(arguments...));
  return {};
}

Status Monitors::onStart(uint64_t step, uint64_t samples) {
  return tell(&Monitor::onStart, step, samples);
}

Status Monitors::onUpdate(const StepReport &report) {
  return tell(&Monitor::onUpdate, report);
}

Status Monitors::onEvaluation(const EvalReport &report) {
  return tell(&Monitor::onEvaluation, report);
}

Status Monitors::onSave(const SaveReport &report) {
  return tell(&Monitor::onSave, report);
}

Status Monitors::onLayerNorms(const StepReport &report,
                              std::span<const LayerNorm> norms) {
  return tell(&Monitor::onLayerNorms, report, norms);
}

Status Monitors::close() {
  Status first;
  for (const std::unique_ptr<Monitor> &monitor : monitors)
    if (Status status = monitor->close(); first.ok())
      first = status;
  return first;
}
