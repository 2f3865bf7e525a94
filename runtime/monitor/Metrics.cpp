#include "runtime/monitor/Metrics.h"
#include "runtime/monitor/Truncate.h"

#include <cerrno>
#include <nlohmann/json.hpp>

using namespace dsc::runtime;
using nlohmann::ordered_json;

namespace {

/// Whether a line that an earlier run wrote is of one of the first `step`
/// updates.
bool isUpTo(uint64_t step, std::string_view line) {
  ordered_json json = ordered_json::parse(line, nullptr, false);
  auto found = json.is_object() ? json.find("step") : json.end();
  return found != json.end() && found->is_number_unsigned() &&
         found->get<uint64_t>() <= step;
}

} // namespace

Result<std::unique_ptr<Metrics>> Metrics::open(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "ae");
  if (!file)
    return inputError("cannot write '", path, "': ", errnoText(errno));
  return std::unique_ptr<Metrics>(new Metrics(path, file));
}

Status Metrics::failure() const {
  return inputError("cannot write '", path, "': ", errnoText(errno));
}

Status Metrics::writeLine(const std::string &line) {
  if (std::fputs((line + "\n").c_str(), file.get()) < 0 ||
      std::fflush(file.get()) != 0)
    return failure();
  return {};
}

Status Metrics::onStart(uint64_t step, uint64_t) {
  return truncateAfter(path, fileno(file.get()), [&](std::string_view line) {
    return step > 0 && isUpTo(step, line);
  });
}

Status Metrics::onUpdate(const StepReport &report) {
  ordered_json line = {{"step", report.step},
                       {"loss", report.loss},
                       {"lr", report.learningRate},
                       {"grad_norm", report.gradientNorm}};
  if (report.lossScale)
    line["loss_scale"] = *report.lossScale;
  line.update({{"weight", report.weight},
               {"skipped", uint64_t(report.skipped)},
               {"samples", report.samples},
               {"batch_samples", report.batchSamples},
               {"step_seconds", report.seconds},
               {"data_seconds", report.dataSeconds},
               {"compute_seconds", report.stepSeconds},
               {"update_seconds", report.updateSeconds}});
  if (report.receivedBytes)
    line["received_bytes"] = *report.receivedBytes;
  return writeLine(line.dump());
}

Status Metrics::onEvaluation(const EvalReport &report) {
  ordered_json line = {{"step", report.step}, {"eval_loss", nullptr}};
  if (report.weight != 0)
    line["eval_loss"] = report.loss;
  if (report.accuracy)
    line.update({{"eval_accuracy", *report.accuracy},
                 {"eval_correct", report.correct}});
  line.update({{"eval_samples", report.samples},
               {"eval_weight", report.weight},
               {"eval_seconds", report.seconds}});
  return writeLine(line.dump());
}

Status Metrics::onSave(const SaveReport &report) {
  return writeLine(ordered_json{{"step", report.step},
                                {"save_stall_seconds", report.stallSeconds}}
                       .dump());
}

Status Metrics::onLayerNorms(const StepReport &report,
                             std::span<const LayerNorm> norms) {
  ordered_json layers = ordered_json::object();
  for (const LayerNorm &norm : norms)
    layers[std::string(norm.layer)] = {{"grad_norm", norm.gradientNorm},
                                       {"weight_norm", norm.weightNorm}};
  return writeLine(
      ordered_json{{"step", report.step}, {"layers", std::move(layers)}}
          .dump());
}

Status Metrics::close() {
  if (file && std::fclose(file.release()) != 0)
    return failure();
  return {};
}
