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

void QueuedStream::issueCollective(Kind kind, const Channel::Message &message,
                                   bool more) {
  Operation &operation = nextSlot(kind);
  operation.dst = message.dst;
  operation.src = message.src;
  operation.ranges = message.ranges;
  operation.more = more;
  issue();
}

void QueuedStream::allGather(const Channel::Message &message, bool more) {
  issueCollective(Kind::AllGather, message, more);
}

void QueuedStream::allToAll(const Channel::Message &message, bool more) {
  issueCollective(Kind::AllToAll, message, more);
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

const QueuedStream::Operation &QueuedStream::await(uint64_t done) {
  for (uint64_t ready = published.load(std::memory_order_acquire);
       ready <= done;)
    ready = waitForChange(published, ready);
  return queue[done % kCapacity];
}

void QueuedStream::serve() {
  messages.reserve(kMostJoined);
  for (uint64_t done = 0;;) {
    const Operation &operation = await(done);
    if (operation.kind == Kind::Stop)
      return;
    const bool isCollective =
        operation.kind == Kind::AllGather || operation.kind == Kind::AllToAll;
    uint64_t count = 1;
    while (isCollective && queue[(done + count - 1) % kCapacity].more &&
           count < kMostJoined && await(done + count).kind == operation.kind)
      ++count;
    int64_t begin = operation.recorder ? EventRecorder::now() : 0;
    // After a failure the rest of the step is passed over, not run.
    if (!failed.load(std::memory_order_relaxed))
      if (Status status =
              isCollective ? exchange(done, count) : execute(operation);
          !status.ok()) {
        std::lock_guard<std::mutex> lock(failureLock);
        failure = status;
        failed.store(true, std::memory_order_release);
      }
    // An exchange counts as the call that issued its first message.
    if (operation.recorder)
      operation.recorder->add(number, operation.ordinal, begin,
                              /*isWait=*/false);
    done += count;
    finished.store(done, std::memory_order_release);
    finished.notify_one();
  }
}

Status QueuedStream::execute(const Operation &operation) {
  if (operation.kind == Kind::Launch) {
    if (operation.grid > 0)
      operation.kernel(operation.args.data(), 0, operation.grid);
  } else if (operation.kind == Kind::Copy) {
    return copyBytes(operation.dst, operation.src, operation.bytes);
  } else if (operation.kind == Kind::FillZero) {
    std::memset(operation.dst, 0, operation.bytes);
  }
  return {};
}

Status QueuedStream::exchange(uint64_t done, uint64_t count) {
  if (!channel)
    return internalError("a collective is on the transfer stream");
  messages.clear();
  for (uint64_t i = 0; i < count; ++i) {
    const Operation &operation = queue[(done + i) % kCapacity];
    messages.push_back({operation.src, operation.dst, operation.ranges});
  }
  return queue[done % kCapacity].kind == Kind::AllGather
             ? channel->allGather(messages)
             : channel->allToAll(messages);
}
