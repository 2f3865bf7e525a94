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
  if (report.receivedBytes)
    line["received_bytes"] = *report.receivedBytes;
  if (std::fputs((line.dump() + "\n").c_str(), file.get()) < 0 ||
      std::fflush(file.get()) != 0)
    return inputError("cannot write '", path, "': ", errnoText(errno));
  return {};
}

Status Metrics::close() {
  if (file && std::fclose(file.release()) != 0)
    return inputError("cannot write '", path, "': ", errnoText(errno));
  return {};
}
