#ifndef DSC_RUNTIME_CHECKPOINT_CHECKPOINT_H
#define DSC_RUNTIME_CHECKPOINT_CHECKPOINT_H

#include "runtime/checkpoint/PartFile.h"
#include "runtime/data/CheckpointFolder.h"
#include "runtime/data/CheckpointManifest.h"

#include <chrono>
#include <future>

namespace dsc::runtime {

/// What the host knows of a training, beside the states of the module.
struct CheckpointPoint {
  uint64_t step = 0;
  std::optional<uint64_t> seed;
  DataPosition position;
};

/// Saves checkpoints in the background of a training. Each rank has one; all
/// ranks make the same calls, between two updates, on the session's thread.
///
/// A thread copies the rank's part of the state into a buffer that was
/// allocated at the start, and writes that. The next update waits for the copy,
/// the next save for the writing. That thread never talks to other ranks:
/// poll() does, and rank 0 completes the set when all parts are on the disk. A
/// rank's failure is an error of the next call, on all ranks.
class CheckpointWriter {
public:
  /// `folder` outlives the writer, is locked by this run and null on all ranks
  /// but 0; `path` is the same on all. The newest `keep` sets are kept.
  static Result<std::unique_ptr<CheckpointWriter>>
  create(const Session &session, const CheckpointFolder *folder,
         const std::string &path, uint64_t keep);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter &) = delete;
  CheckpointWriter &operator=(const CheckpointWriter &) = delete;

  /// Starts to save the state as it is now.
  Status save(const CheckpointPoint &point);

  /// Takes what is being saved a step further, if there is anything. To be
  /// called after every update. Does not wait for the disk.
  Status poll();

  /// Waits until what has been saved is complete.
  Status finish();

  /// Sets that are complete.
  uint64_t completed() const { return completedSets; }

  /// Bytes of the last set that was completed, and the seconds that it took.
  /// Known to rank 0.
  uint64_t lastBytes() const { return setBytes; }
  double lastSeconds() const { return setSeconds; }

  /// Seconds for which the training has stood still since the last call.
  double takeStall();

  /// Bytes that this rank copies and writes for a set, without its header: what
  /// the buffer has.
  uint64_t snapshotBytes() const { return snapshot.bytes(); }

private:
  enum class Phase { Idle, Writing, Completing };

  CheckpointWriter(const Session &session, const CheckpointFolder *folder,
                   const std::string &path, uint64_t keep, Shard shard,
                   Arena snapshot);

  void start(Phase next, std::function<Status()> job);
  Status advance(bool waits);
  Status collectOutcome(bool waits, bool &isDone);
  Status complete();
  Status write();
  Status writeManifest(const std::vector<PartRecords> &parts);

  const Session &session;
  const CheckpointFolder *folder;
  std::string path;
  uint64_t keep;
  Shard shard;
  Arena snapshot;
  double stall = 0;        ///< But for updates that waited.
  double waitedBefore = 0; ///< What of their seconds has been taken.
  uint64_t completedSets = 0;

  Phase phase = Phase::Idle;
  CheckpointPoint point; ///< What is being saved; set while idle.
  std::chrono::steady_clock::time_point begin; ///< Of the same.
  // Written by the job and read when it is done.
  PartRecords records;
  uint64_t setBytes = 0;
  double setSeconds = 0;
  std::future<Status> job; ///< Declared last: waits for its thread at the end.
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHECKPOINT_CHECKPOINT_H
