#include "runtime/driver/Checkpoints.h"
#include "runtime/monitor/Progress.h"

#include <chrono>
#include <cstdio>
#include <filesystem>

using namespace dsc::runtime;
namespace fs = std::filesystem;

namespace {

/// The folder of sets in which `path`, a set or such a folder, lies.
fs::path folderOf(const std::string &path) {
  if (!isCheckpointSet(path))
    return path;
  fs::path set = fs::path(path).lexically_normal();
  if (!set.has_filename()) // It ended in a slash.
    set = set.parent_path();
  return set.has_parent_path() ? set.parent_path() : fs::path(".");
}

} // namespace

bool dsc::runtime::savesCheckpoints(const std::string &save) {
  if (save.empty() || save.ends_with(".safetensors"))
    return false;
  std::error_code error;
  fs::file_status status = fs::status(save, error);
  return !fs::exists(status) || fs::is_directory(status);
}

Status dsc::runtime::checkCheckpointOptions(const RunOptions &options) {
  if (savesCheckpoints(options.save))
    return {};
  if (options.saveEvery)
    return usageError("--save-every: name a folder for the checkpoints, with "
                      "--save=DIR");
  if (options.resume && options.resume->empty())
    return usageError("--resume: name a folder of checkpoints, with "
                      "--resume=DIR or --save=DIR");
  return {};
}

Checkpoints::Checkpoints(const RunOptions &options, const Log &log)
    : options(options), log(log) {}

std::string Checkpoints::resumePath() const {
  return options.resume->empty() ? options.save : *options.resume;
}

Status Checkpoints::prepare() {
  if (!savesCheckpoints(options.save))
    return {};
  DSC_ASSIGN(CheckpointFolder opened, CheckpointFolder::open(options.save));
  folder.emplace(std::move(opened));
  // One that is not ours would be the newest, or be removed as the oldest.
  std::error_code error;
  bool isOwn =
      resumes() && fs::equivalent(folderOf(resumePath()), options.save, error);
  return isOwn ? Status() : checkOwnSets(std::nullopt);
}

/// Whether the sets that there are belong to this training.
Status Checkpoints::checkOwnSets(std::optional<uint64_t> newest) {
  DSC_ASSIGN(std::vector<uint64_t> steps, listCheckpoints(folder->path()));
  bool isOwn = steps.empty() || (newest && steps.front() <= *newest);
  return isOwn ? Status()
               : inputError("'", folder->path(),
                            "' holds the checkpoint of "
                            "step ",
                            steps.front(),
                            " of another training; "
                            "go on from that with --resume, or save to another "
                            "folder");
}

Result<std::optional<CheckpointPoint>> Checkpoints::resume(Session &session) {
  auto begin = std::chrono::steady_clock::now();
  DSC_ASSIGN(std::optional<Restored> restored,
             restoreCheckpoint(session, resumePath()));
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  if (!restored) {
    if (!options.resume->empty())
      return inputError("'", resumePath(), "' holds no checkpoint");
    log.notice(concat("'", options.save,
                      "' holds no checkpoint yet: the training starts anew"));
    return std::optional<CheckpointPoint>();
  }
  for (const DamagedCheckpoint &damaged : restored->damaged) {
    log.notice(concat("the checkpoint of step ", damaged.step,
                      " is damaged and not used: ", damaged.reason));
    std::error_code error;
    if (folder && fs::equivalent(folderOf(resumePath()), folder->path(), error))
      DSC_RETURN_IF_ERROR(folder->putAway(damaged.step));
  }
  log.notice(concat("resumed after step ", restored->point.step, ", from '",
                    restored->set, "', in ", durationText(seconds.count())));
  std::error_code error;
  if (savesCheckpoints(options.save) &&
      fs::equivalent(folderOf(restored->set), options.save, error)) {
    if (folder)
      DSC_RETURN_IF_ERROR(checkOwnSets(restored->point.step));
    savedStep = restored->point.step;
  }
  return std::optional<CheckpointPoint>(restored->point);
}

Status Checkpoints::start(const Session &session) {
  if (!savesCheckpoints(options.save))
    return {};
  DSC_ASSIGN(writer,
             CheckpointWriter::create(session, folder ? &*folder : nullptr,
                                      options.save, options.keep));
  return {};
}

Result<std::optional<double>>
Checkpoints::afterUpdate(const CheckpointPoint &point) {
  if (!writer)
    return std::optional<double>();
  if (!options.saveEvery || point.step % options.saveEvery != 0) {
    DSC_RETURN_IF_ERROR(writer->poll());
    return std::optional<double>();
  }
  DSC_RETURN_IF_ERROR(writer->save(point));
  savedStep = point.step;
  double stall = writer->takeStall();
  ++saves;
  stallSeconds += stall;
  return std::optional(stall);
}

Status Checkpoints::finish(const CheckpointPoint &point) {
  if (!writer)
    return {};
  if (savedStep != point.step)
    DSC_RETURN_IF_ERROR(writer->save(point));
  DSC_RETURN_IF_ERROR(writer->finish());
  savedStep = point.step;
  finalSet = options.save + "/" + checkpointSetName(point.step);
  return {};
}

std::string Checkpoints::summary() const {
  std::string text;
  if (writer && writer->completed()) {
    char size[32];
    std::snprintf(size, sizeof(size), "%.1f",
                  double(writer->lastBytes()) / (1 << 20));
    text = concat(" (", size, " MiB in ", durationText(writer->lastSeconds()),
                  ")");
  }
  if (saves)
    text += concat("; ", saves, saves == 1 ? " save" : " saves",
                   " held the training up for ",
                   durationText(stallSeconds / saves), " each");
  return text;
}
