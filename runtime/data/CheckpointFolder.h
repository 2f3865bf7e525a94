#ifndef DSC_RUNTIME_DATA_CHECKPOINTFOLDER_H
#define DSC_RUNTIME_DATA_CHECKPOINTFOLDER_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsc::runtime {

/// Name of the set after an update, such as step-00001000.
std::string checkpointSetName(uint64_t step);

/// Name of the folder that it is written in, and removed in.
std::string checkpointAsideName(uint64_t step);

/// Steps of the sets in a folder, newest first.
Result<std::vector<uint64_t>> listCheckpoints(const std::string &folder);

/// Whether `path` is one set, and not a folder of sets.
bool isCheckpointSet(const std::string &path);

/// The step in the name of a set, if it is one.
std::optional<uint64_t> checkpointStepOf(const std::string &name);

/// A folder that one run saves to. Holds a lock until it is destroyed, or until
/// the process ends in any way. Used by one rank.
class CheckpointFolder {
public:
  /// Creates the folder if there is none, takes the lock and removes what a run
  /// that was killed has left half-written. An error names who holds the lock.
  static Result<CheckpointFolder> open(const std::string &path);

  CheckpointFolder(CheckpointFolder &&other) noexcept;
  CheckpointFolder &operator=(CheckpointFolder &&other) = delete;
  ~CheckpointFolder();

  const std::string &path() const { return folder; }

  /// Makes the set that lies complete in the aside folder visible, on the disk.
  Status publish(uint64_t step) const;

  /// Removes all but the newest `keep` sets.
  Status prune(uint64_t keep) const;

  /// Takes a set that is damaged out of the list, without removing it.
  Status putAway(uint64_t step) const;

private:
  CheckpointFolder(std::string folder, int lock)
      : folder(std::move(folder)), lock(lock) {}

  Status removeStale() const;

  std::string folder;
  int lock; ///< Descriptor of the locked file.
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_CHECKPOINTFOLDER_H
