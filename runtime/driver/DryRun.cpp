#include "runtime/driver/DryRun.h"
#include "runtime/data/Crc32.h"
#include "runtime/driver/Evaluator.h"
#include "runtime/driver/Rendezvous.h"
#include "runtime/monitor/Progress.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

/// What lies on the path, or would have to be made there: a file in a folder
/// that exists, or a folder with all those above it.
Status checkPlace(const std::string &option, const std::string &path,
                  bool isFolder) {
  namespace fs = std::filesystem;
  if (path.empty())
    return {};
  std::error_code error;
  fs::path place = fs::absolute(path, error).lexically_normal();
  if (!place.has_filename()) // DIR/ is DIR.
    place = place.parent_path();
  bool exists = fs::exists(place, error);
  if (!exists && !isFolder)
    place = place.parent_path();
  while (isFolder && !fs::exists(place, error) && place.has_relative_path())
    place = place.parent_path();
  bool wantsFolder = isFolder || !exists;
  if (wantsFolder && fs::exists(place, error) && !fs::is_directory(place))
    return inputError(option, ": cannot write '", path, "': '", place.string(),
                      "' is no folder");
  if (::access(place.c_str(), wantsFolder ? W_OK | X_OK : W_OK) != 0)
    return inputError(option, ": cannot write '", path,
                      "': ", errnoText(errno));
  return {};
}

/// What every rank must have the same bits of, a line each.
std::string describeReplicas(const Session &session, const StepReport &report) {
  char text[128];
  std::snprintf(text, sizeof(text),
                "loss %a\ngradient norm %a\nlearning rate %a\nweight %a\n",
                report.loss, report.gradientNorm, report.learningRate,
                report.weight);
  std::string lines = text;
  for (const auto &parameter : session.module().manifest().parameters) {
    std::span<const std::byte> bytes = session.replica(parameter.state);
    if (bytes.empty())
      continue;
    lines += concat("parameter '", parameter.name, "' of checksum ",
                    crc32Of(bytes), "\n");
  }
  return lines;
}

/// One number of every rank.
template <typename T>
Result<std::vector<T>> gatherNumbers(const Session &session, T own) {
  std::vector<T> numbers(session.ranks());
  DSC_RETURN_IF_ERROR(
      session.peers().allGather(&own, numbers.data(), sizeof(own)));
  return numbers;
}

/// `12 bytes`, or `12, 8, 12 bytes on ranks 0 to 2` where they differ.
std::string describeBytes(const std::vector<uint64_t> &bytes) {
  if (std::count(bytes.begin(), bytes.end(), bytes[0]) == int64_t(bytes.size()))
    return concat(bytes[0], " bytes", bytes.size() > 1 ? " a rank" : "");
  std::string text;
  for (uint64_t count : bytes)
    text += concat(text.empty() ? "" : ", ", count);
  return concat(text, " bytes on ranks 0 to ", bytes.size() - 1);
}

/// What was allocated, and whether that is what the layout says.
Result<std::string> describeAllocation(const Session &session) {
  DSC_ASSIGN(std::vector<uint64_t> allocated,
             gatherNumbers(session, session.allocatedBytes()));
  DSC_ASSIGN(std::vector<uint64_t> planned,
             gatherNumbers(session, session.layout().totalBytes));
  return describeBytes(allocated) +
         (allocated == planned
              ? ", as planned"
              : ", and not the planned " + describeBytes(planned));
}

} // namespace

Status dsc::runtime::checkPlaces(const RunOptions &options) {
  DSC_RETURN_IF_ERROR(checkPlace("--save", options.save,
                                 !options.save.ends_with(".safetensors")));
  DSC_RETURN_IF_ERROR(checkPlace("--export", options.exportPath, false));
  DSC_RETURN_IF_ERROR(checkPlace("--metrics", options.metrics, false));
  for (const MonitorTarget &target : options.monitors)
    DSC_RETURN_IF_ERROR(checkPlace("--monitor", target.directory, true));
  return checkPlace("--write-outputs", options.outputDirectory, true);
}

Status dsc::runtime::rehearse(Session &session, Trainer *trainer,
                              const Dataset *evalData, uint64_t totalSteps) {
  const bool speaks = session.rank() == 0;
  DSC_ASSIGN(std::string allocation, describeAllocation(session));
  if (speaks)
    std::printf("allocated  %s\n", allocation.c_str());
  if (trainer) {
    StepReport report;
    DSC_RETURN_IF_ERROR(trainer->step(report));
    DSC_RETURN_IF_ERROR(
        compareRanks(session.peers(), describeReplicas(session, report)));
    if (speaks)
      std::printf("tried      step %" PRIu64 "/%" PRIu64
                  "  loss %.6g  lr %.4g  norm %.4g  in %s\n",
                  report.step, totalSteps, report.loss, report.learningRate,
                  report.gradientNorm, durationText(report.seconds).c_str());
    if (speaks && report.skipped > 0)
      std::printf("           the loss or a gradient is not finite: the update "
                  "was skipped\n");
    if (speaks && report.weight == 0)
      std::printf("           no sample counts: all have weight 0, or labels "
                  "that are ignored\n");
  }
  if (evalData)
    DSC_RETURN_IF_ERROR(evaluateFirstBatch(session, *evalData));
  DSC_ASSIGN(std::vector<double> peaks,
             gatherNumbers(session, peakMebibytes()));
  if (!speaks)
    return {};
  if (session.ranks() > 1)
    std::printf("agreement  all ranks have the same module%s\n",
                trainer ? ", loss, gradient norm and replicas" : "");
  std::printf("used       peak RSS %.1f MiB%s, with the files that are mapped\n"
              "written    nothing\n",
              *std::max_element(peaks.begin(), peaks.end()),
              session.ranks() > 1 ? " on the largest rank" : "");
  return {};
}
