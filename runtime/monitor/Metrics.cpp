#include "runtime/monitor/Metrics.h"

#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace dsc::runtime;
using nlohmann::ordered_json;

Result<Metrics> Metrics::open(const std::string &path) {
  if (path.empty())
    return Metrics(path, nullptr);
  std::FILE *file = std::fopen(path.c_str(), "we");
  if (!file)
    return inputError("cannot write '", path, "': ", errnoText(errno));
  return Metrics(path, file);
}

Status Metrics::write(const StepReport &report) {
  if (!file)
    return {};
  ordered_json line = {{"step", report.step},
                       {"loss", report.loss},
                       {"lr", report.learningRate},
                       {"grad_norm", report.gradientNorm},
                       {"step_seconds", report.seconds}};
  return writeLine(line.dump());
}

Status Metrics::write(uint64_t step, const EvalReport &report) {
  if (!file)
    return {};
  ordered_json line = {{"step", step}, {"eval_loss", report.loss}};
  if (report.accuracy)
    line["eval_accuracy"] = *report.accuracy;
  line["eval_samples"] = report.samples;
  return writeLine(line.dump());
}

Status Metrics::writeLine(const std::string &line) {
  if (std::fputs((line + "\n").c_str(), file.get()) < 0 ||
      std::fflush(file.get()) != 0)
    return inputError("cannot write '", path, "': ", errnoText(errno));
  return {};
}

Status Metrics::close() {
  if (file && std::fclose(file.release()) != 0)
    return inputError("cannot write '", path, "': ", errnoText(errno));
  return {};
}
