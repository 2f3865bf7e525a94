#ifndef DSC_RUNTIME_PROGRAM_CONTEXT_H
#define DSC_RUNTIME_PROGRAM_CONTEXT_H

#include "runtime/abi/dsrt.h"
#include "runtime/base/EventRecorder.h"
#include "runtime/base/Status.h"
#include "runtime/channel/Channel.h"
#include "runtime/channel/QueuedStream.h"
#include "runtime/device/host/ThreadPool.h"
#include "runtime/program/Layout.h"

#include <cstddef>
#include <span>
#include <vector>

namespace dsc::runtime {

/// What travels in the collectives of a group.
struct GroupMessage {
  uint64_t rangeBytes; ///< This rank's range.
  uint32_t ranks;
  std::vector<uint64_t> bytesOf; ///< Each rank's; empty if all are the same.

  Slices ranges() const {
    return bytesOf.empty() ? Slices(rangeBytes, ranks) : Slices(bytesOf);
  }
};

} // namespace dsc::runtime

/// What the functions of dsrt.h, part 2, act on. The session fills it once;
/// only the thread that runs an entry point touches it.
///
/// The compute stream is synchronous: its work is done when the call returns.
/// So an event only ever stands for a position in one of the other streams, and
/// those need not wait for the compute stream: what was issued to it before is
/// done.
struct dsrt_context {
  /// What an event marks; null: work that is done.
  struct Event {
    dsc::runtime::QueuedStream *stream = nullptr;
    uint64_t position = 0;
  };

  std::byte *base = nullptr; ///< Start of the session's memory.
  const dsc::runtime::Layout *layout = nullptr;
  std::vector<dsc::runtime::GroupMessage> messages; ///< One for each group.
  std::span<void *const> inputs;                    ///< Of the entry that runs.
  std::vector<Event> events;
  dsc::runtime::ThreadPool *pool = nullptr;
  dsc::runtime::QueuedStream *communication = nullptr;
  dsc::runtime::QueuedStream *transfer = nullptr;
  dsc::runtime::Channel *channel = nullptr;
  dsc::runtime::EventRecorder *recorder = nullptr; ///< Null: nothing is timed.
  dsc::runtime::Status error; ///< The first one; later calls do nothing.

  /// The stream of this number; null for the compute stream, or none.
  dsc::runtime::QueuedStream *queued(int32_t stream) const {
    return stream == DSRT_STREAM_COMMUNICATION ? communication
           : stream == DSRT_STREAM_TRANSFER    ? transfer
                                               : nullptr;
  }
  bool failed() const { return !error.ok(); }
  void fail(dsc::runtime::Status status) {
    if (!failed())
      error = std::move(status);
  }
};

#endif // DSC_RUNTIME_PROGRAM_CONTEXT_H
