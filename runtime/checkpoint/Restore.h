#ifndef DSC_RUNTIME_CHECKPOINT_RESTORE_H
#define DSC_RUNTIME_CHECKPOINT_RESTORE_H

#include "runtime/checkpoint/Checkpoint.h"

namespace dsc::runtime {

/// A set that was passed over, and why.
struct DamagedCheckpoint {
  uint64_t step;
  std::string reason;
};

struct Restored {
  CheckpointPoint point;
  std::string set;                        ///< Its folder.
  uint32_t ranks;                         ///< That wrote it.
  std::vector<DamagedCheckpoint> damaged; ///< Newer ones, newest first.
};

/// Puts the newest whole set of a folder, or the set itself that `path` names,
/// into a session. All ranks call it and take the same set: one that any of
/// them finds damaged is passed over by all. Nothing if the folder has no set.
/// On failure the states are undefined.
Result<std::optional<Restored>> restoreCheckpoint(Session &session,
                                                  const std::string &path);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHECKPOINT_RESTORE_H
