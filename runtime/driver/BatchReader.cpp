#include "runtime/driver/BatchReader.h"

#include <cstring>
#include <system_error>

using namespace dsc::runtime;

namespace {

/// Buffers begin at the alignment of the session's own.
uint64_t aligned(uint64_t bytes) {
  return (bytes + DSRT_ALIGNMENT - 1) / DSRT_ALIGNMENT * DSRT_ALIGNMENT;
}

} // namespace

uint64_t BatchReader::bytes(const Manifest::Entry &entry) {
  uint64_t sum = 0;
  for (const Manifest::Input &input : entry.inputs)
    sum += aligned(input.bytes);
  return sum;
}

Result<std::unique_ptr<BatchReader>> BatchReader::create(const Dataset &data) {
  DSC_ASSIGN(Arena memory, Arena::allocate(bytes(data.entry())));
  try {
    return std::unique_ptr<BatchReader>(
        new BatchReader(data, std::move(memory)));
  } catch (const std::system_error &error) {
    return inputError("cannot start a thread: ", error.what());
  }
}

BatchReader::BatchReader(const Dataset &data, Arena arena)
    : data(data), memory(std::move(arena)) {
  std::byte *next = memory.data();
  for (const Manifest::Input &input : data.entry().inputs) {
    buffers.push_back(next);
    next += aligned(input.bytes);
  }
  samples.reserve(data.batch());
  thread = std::thread([this] { readAhead(); });
}

BatchReader::~BatchReader() {
  {
    std::lock_guard lock(mutex);
    ending = true;
  }
  changed.notify_all();
  thread.join();
}

Status BatchReader::gather() {
  data.list(request.order, request.first, request.count, samples);
  return data.gather(samples, buffers);
}

void BatchReader::readAhead() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return ending || state == State::Asked; });
    if (ending)
      return;
    state = State::Gathering;
    lock.unlock();
    status = gather();
    lock.lock();
    state = State::Ready;
    changed.notify_all();
  }
}

void BatchReader::prepare(const BatchRequest &next) {
  request = next;
  {
    std::lock_guard lock(mutex);
    state = State::Asked;
  }
  changed.notify_all();
}

void BatchReader::cancel() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return state != State::Gathering; });
  state = State::Idle;
}

Status BatchReader::take(Session &session) {
  {
    std::unique_lock lock(mutex);
    if (state == State::Asked) {
      // On a busy machine the thread has not got to it: no use in waiting.
      state = State::Gathering;
      lock.unlock();
      status = gather();
      lock.lock();
    } else {
      changed.wait(lock, [&] { return state == State::Ready; });
    }
    state = State::Idle;
  }
  DSC_RETURN_IF_ERROR(status);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Manifest::Input &input = data.entry().inputs[i];
    std::byte *to = session.inputBuffer(input);
    if (input.bytes)
      std::memcpy(to, buffers[i], input.bytes);
  }
  return {};
}
