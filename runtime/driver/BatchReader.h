#ifndef DSC_RUNTIME_DRIVER_BATCHREADER_H
#define DSC_RUNTIME_DRIVER_BATCHREADER_H

#include "runtime/driver/Dataset.h"
#include "runtime/program/Session.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace dsc::runtime {

/// Places of an epoch's order, which make a micro-batch.
struct BatchRequest {
  std::optional<Permutation> order; ///< Without it, that of the files.
  uint64_t first = 0, count = 0;
};

/// Reads ahead: gathers the next micro-batch on a thread of its own, in memory
/// of its own, while the session computes with the one before. All calls come
/// from one thread. Nothing is allocated after creation.
class BatchReader {
public:
  static Result<std::unique_ptr<BatchReader>> create(const Dataset &data);
  ~BatchReader();

  /// Bytes of the memory that a reader of these inputs allocates.
  static uint64_t bytes(const Manifest::Entry &entry);

  /// Begins to gather a micro-batch. The one before must have been taken.
  void prepare(const BatchRequest &request);

  /// Forgets a micro-batch that was prepared and not taken.
  void cancel();

  /// Puts the micro-batch that was prepared last into the session's buffers, as
  /// soon as it is there, or says why it cannot be read.
  Status take(Session &session);

private:
  enum class State { Idle, Asked, Gathering, Ready };

  BatchReader(const Dataset &data, Arena memory);
  void readAhead();
  Status gather();

  const Dataset &data;
  Arena memory;
  std::vector<std::byte *> buffers; ///< One for each input of the entry.
  std::vector<uint64_t> samples;
  Status status; ///< Of the last gathering.
  BatchRequest request;

  std::mutex mutex; ///< Of the two below; the rest is whose turn it is.
  State state = State::Idle;
  bool ending = false;
  std::condition_variable changed;
  std::thread thread;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_BATCHREADER_H
