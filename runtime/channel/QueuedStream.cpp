#include "runtime/channel/QueuedStream.h"
#include "runtime/device/host/Spin.h"

#include <algorithm>
#include <cstring>

using namespace dsc::runtime;

QueuedStream::QueuedStream(Channel &channel)
    : QueuedStream(DSRT_STREAM_COMMUNICATION, &channel,
                   [](void *dst, const void *src, uint64_t bytes) {
                     std::memcpy(dst, src, bytes);
                     return Status();
                   }) {}

QueuedStream::QueuedStream(Copy copy)
    : QueuedStream(DSRT_STREAM_TRANSFER, nullptr, std::move(copy)) {}

QueuedStream::QueuedStream(uint32_t number, Channel *channel, Copy copy)
    : number(number), channel(channel), copyBytes(std::move(copy)),
      queue(std::make_unique<Operation[]>(kCapacity)),
      thread([this] { serve(); }) {}

QueuedStream::~QueuedStream() {
  nextSlot(Kind::Stop);
  issue();
  thread.join();
}

QueuedStream::Operation &QueuedStream::nextSlot(Kind kind) {
  if (issued >= kCapacity)
    waitFor(issued - kCapacity + 1);
  Operation &operation = queue[issued % kCapacity];
  operation.kind = kind;
  operation.recorder = recorder;
  if (recorder)
    operation.ordinal = recorder->lastCall();
  return operation;
}

void QueuedStream::issue() {
  published.store(++issued, std::memory_order_release);
  published.notify_one();
}

void QueuedStream::launch(dsrt_kernel kernel, void *const *args, int32_t nargs,
                          int64_t grid) {
  Operation &operation = nextSlot(Kind::Launch);
  operation.kernel = kernel;
  operation.grid = grid;
  std::copy_n(args, nargs, operation.args.begin());
  issue();
}

void QueuedStream::copy(void *dst, const void *src, uint64_t bytes) {
  Operation &operation = nextSlot(Kind::Copy);
  operation.dst = dst;
  operation.src = src;
  operation.bytes = bytes;
  issue();
}

void QueuedStream::fillZero(void *dst, uint64_t bytes) {
  Operation &operation = nextSlot(Kind::FillZero);
  operation.dst = dst;
  operation.bytes = bytes;
  issue();
}

void QueuedStream::allGather(const void *shard, void *full,
                             uint64_t shardBytes) {
  Operation &operation = nextSlot(Kind::AllGather);
  operation.dst = full;
  operation.src = shard;
  operation.bytes = shardBytes;
  issue();
}

void QueuedStream::allToAll(const void *src, void *dst, uint64_t bytesPerRank) {
  Operation &operation = nextSlot(Kind::AllToAll);
  operation.dst = dst;
  operation.src = src;
  operation.bytes = bytesPerRank;
  issue();
}

void QueuedStream::allGather(const void *shard, void *full,
                             std::span<const uint64_t> bytesOf) {
  Operation &operation = nextSlot(Kind::AllGatherSizes);
  operation.dst = full;
  operation.src = shard;
  operation.sentBytes = bytesOf;
  issue();
}

void QueuedStream::allToAll(const void *src,
                            std::span<const uint64_t> sentBytes, void *dst,
                            std::span<const uint64_t> receivedBytes) {
  Operation &operation = nextSlot(Kind::AllToAllSizes);
  operation.dst = dst;
  operation.src = src;
  operation.sentBytes = sentBytes;
  operation.receivedBytes = receivedBytes;
  issue();
}

void QueuedStream::waitFor(uint64_t position) {
  uint64_t now = finished.load(std::memory_order_acquire);
  while (now < position)
    now = waitForChange(finished, now);
}

Status QueuedStream::status() const {
  if (!failed.load(std::memory_order_acquire))
    return {};
  std::lock_guard<std::mutex> lock(failureLock);
  return failure;
}

void QueuedStream::serve() {
  for (uint64_t done = 0;; ++done) {
    for (uint64_t ready = published.load(std::memory_order_acquire);
         ready == done;)
      ready = waitForChange(published, ready);
    const Operation &operation = queue[done % kCapacity];
    if (operation.kind == Kind::Stop)
      return;
    int64_t begin = operation.recorder ? EventRecorder::now() : 0;
    // After a failure the rest of the step is passed over, not run.
    if (!failed.load(std::memory_order_relaxed))
      if (Status status = execute(operation); !status.ok()) {
        std::lock_guard<std::mutex> lock(failureLock);
        failure = status;
        failed.store(true, std::memory_order_release);
      }
    if (operation.recorder)
      operation.recorder->add(number, operation.ordinal, begin,
                              /*isWait=*/false);
    finished.store(done + 1, std::memory_order_release);
    finished.notify_one();
  }
}

Status QueuedStream::execute(const Operation &operation) {
  const bool isCollective = operation.kind >= Kind::AllGather;
  if (isCollective && !channel)
    return internalError("a collective is on the transfer stream");
  switch (operation.kind) {
  case Kind::Launch:
    if (operation.grid > 0)
      operation.kernel(operation.args.data(), 0, operation.grid);
    return {};
  case Kind::Copy:
    return copyBytes(operation.dst, operation.src, operation.bytes);
  case Kind::FillZero:
    std::memset(operation.dst, 0, operation.bytes);
    return {};
  case Kind::AllGather:
    return channel->allGather(operation.src, operation.dst, operation.bytes);
  case Kind::AllGatherSizes:
    return channel->allGather(operation.src, operation.dst,
                              operation.sentBytes);
  case Kind::AllToAllSizes:
    return channel->allToAll(operation.src, operation.sentBytes, operation.dst,
                             operation.receivedBytes);
  case Kind::AllToAll:
    return channel->allToAll(operation.src, operation.dst, operation.bytes);
  case Kind::Stop:
    return {};
  }
  return {};
}
