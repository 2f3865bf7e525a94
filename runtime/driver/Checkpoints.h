#ifndef DSC_RUNTIME_DRIVER_CHECKPOINTS_H
#define DSC_RUNTIME_DRIVER_CHECKPOINTS_H

#include "runtime/base/Log.h"
#include "runtime/checkpoint/Restore.h"
#include "runtime/driver/Options.h"

namespace dsc::runtime {

/// Whether --save names a folder of checkpoints, and not a file of parameters.
bool savesCheckpoints(const std::string &save);

/// Whether the options that need such a folder have one.
Status checkCheckpointOptions(const RunOptions &options);

/// What --save, --save-every, --keep and --resume ask of a run. All ranks have
/// one and make the same calls; rank 0 alone touches what they share.
class Checkpoints {
public:
  Checkpoints(const RunOptions &options, const Log &log);

  /// Before any rank allocates: takes the folder for this run. Rank 0 calls it.
  Status prepare();

  /// Whether the session is filled by resume(), if there is what to resume.
  bool resumes() const { return options.resume.has_value(); }

  /// Puts the newest whole set into the session and says which ones are not
  /// whole. Nothing if the folder has none yet and is that of --save.
  Result<std::optional<CheckpointPoint>> resume(Session &session);

  /// Allocates what saving needs, if checkpoints are saved.
  Status start(const Session &session);

  /// After each update. If it has begun to save: the seconds for which the
  /// training has waited for that, and for saves since the one before.
  Result<std::optional<double>> afterUpdate(const CheckpointPoint &point);

  /// At the end: saves the last state unless it is saved, and waits for it.
  Status finish(const CheckpointPoint &point);

  /// The set of the last state, once finish() has saved it; else empty.
  const std::string &lastSet() const { return finalSet; }

  /// For rank 0, what the last save took, and how long those before it held the
  /// training up: ` (1.5 MiB in 0.02 s); 3 saves held ...`.
  std::string summary() const;

private:
  std::string resumePath() const;
  Status checkOwnSets(std::optional<uint64_t> newest);

  const RunOptions &options;
  const Log &log;
  std::optional<CheckpointFolder> folder;   ///< Rank 0 of a run that saves.
  std::unique_ptr<CheckpointWriter> writer; ///< Uses the folder.
  std::optional<uint64_t> savedStep;        ///< Of the newest set.
  std::string finalSet;
  uint64_t saves = 0;      ///< During the training.
  double stallSeconds = 0; ///< Of these.
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_CHECKPOINTS_H
