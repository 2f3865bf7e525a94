// The functions that generated code calls: dsrt.h, part 2. A bad argument is a
// defect of the compiler, reported like any other error, never undefined.

#include "runtime/device/host/Contraction.h"
#include "runtime/program/TimedCall.h"

#include <algorithm>
#include <cstring>

using namespace dsc::runtime;

namespace {

/// Copies and fills above this size are split over the pool's threads.
constexpr uint64_t kPiece = uint64_t(256) << 10;

/// Whether a call on `stream` can go ahead; fails the context if the stream
/// does not exist.
bool canIssue(dsrt_context *context, int32_t stream) {
  if (context->failed())
    return false;
  if (stream == DSRT_STREAM_COMPUTE || context->queued(stream))
    return true;
  context->fail(internalError("there is no stream ", stream));
  return false;
}

bool isEvent(dsrt_context *context, int32_t event) {
  if (event >= 0 && size_t(event) < context->events.size())
    return true;
  context->fail(internalError("there is no event ", event));
  return false;
}

const dsrt_layout_place *findState(dsrt_context *context, int32_t state) {
  const std::vector<dsrt_layout_place> &places = context->layout->places;
  if (state >= 0 && size_t(state) < places.size())
    return &places[state];
  context->fail(internalError("there is no state ", state));
  return nullptr;
}

const GroupMessage *findGroup(dsrt_context *context, int32_t group) {
  if (group >= 0 && size_t(group) < context->messages.size())
    return &context->messages[group];
  context->fail(internalError("there is no group ", group));
  return nullptr;
}

/// Collectives run on the communication stream; a caller that issues one to
/// the compute stream waits for it.
void finishOn(dsrt_context *context, int32_t stream) {
  if (stream == DSRT_STREAM_COMPUTE)
    context->communication->waitFor(context->communication->position());
}

/// Kernel over pieces; args: destination, source, total bytes.
void copyPieces(void *const *args, int64_t begin, int64_t end) {
  uint64_t total = *static_cast<const uint64_t *>(args[2]);
  uint64_t first = begin * kPiece, last = std::min(total, end * kPiece);
  std::memcpy(static_cast<std::byte *>(args[0]) + first,
              static_cast<const std::byte *>(args[1]) + first, last - first);
}

/// Kernel over pieces; args: destination, total bytes.
void zeroPieces(void *const *args, int64_t begin, int64_t end) {
  uint64_t total = *static_cast<const uint64_t *>(args[1]);
  uint64_t first = begin * kPiece, last = std::min(total, end * kPiece);
  std::memset(static_cast<std::byte *>(args[0]) + first, 0, last - first);
}

int64_t piecesOf(uint64_t bytes) { return (bytes + kPiece - 1) / kPiece; }

/// A contraction as a kernel of the communication stream; args: descriptor
/// fields in order, then a, b, c.
constexpr int kContractionArgs = 11;
void contractionKernel(void *const *args, int64_t, int64_t) {
  auto number = [&](int index) {
    return static_cast<int64_t>(reinterpret_cast<intptr_t>(args[index]));
  };
  dsrt_contraction_desc desc{int32_t(number(0)), int32_t(number(1)),
                             int32_t(number(2)), int32_t(number(3)),
                             number(4),          number(5),
                             number(6),          number(7)};
  // The provider was found before this was queued, and the sizes were checked.
  (void)runContraction(nullptr, desc, args[8], args[9], args[10]);
}

} // namespace

void *dsrt_input(dsrt_context *context, int32_t index) {
  if (index >= 0 && size_t(index) < context->inputs.size())
    return context->inputs[index];
  context->fail(internalError("the entry has no input ", index));
  return nullptr;
}

void *dsrt_arena(dsrt_context *context) { return context->base; }

void *dsrt_state(dsrt_context *context, int32_t state) {
  const dsrt_layout_place *place = findState(context, state);
  if (!place)
    return nullptr;
  if (place->tensor_offset == DSRT_LAYOUT_NOT_WHOLE) {
    // With one rank the range is the whole group.
    if (context->channel->size() == 1)
      return context->base + place->part_offset;
    context->fail(internalError("state ", state, " is cut among ranks"));
    return nullptr;
  }
  return context->base + place->tensor_offset;
}

void *dsrt_part(dsrt_context *context, int32_t state) {
  const dsrt_layout_place *place = findState(context, state);
  return place ? context->base + place->part_offset : nullptr;
}

int64_t dsrt_part_elements(dsrt_context *context, int32_t state) {
  const dsrt_layout_place *place = findState(context, state);
  return place ? int64_t(place->part_elements) : 0;
}

void *dsrt_shard(dsrt_context *context, int32_t state) {
  const dsrt_layout_place *place = findState(context, state);
  return place ? context->base + place->range_offset : nullptr;
}

int64_t dsrt_shard_elements(dsrt_context *context, int32_t state) {
  const dsrt_layout_place *place = findState(context, state);
  return place ? int64_t(place->range_elements) : 0;
}

int64_t dsrt_shard_begin(dsrt_context *context, int32_t state) {
  if (!findState(context, state))
    return 0;
  const Layout &layout = *context->layout;
  int32_t group = layout.states[state].group;
  return group < 0 ? 0 : int64_t(layout.boundsOf(group)[layout.rank]);
}

int64_t dsrt_flat_elements(dsrt_context *context, int32_t state) {
  const dsrt_layout_place *place = findState(context, state);
  return place ? int64_t(place->whole_elements) : 0;
}

void dsrt_launch(dsrt_context *context, int32_t stream, dsrt_kernel kernel,
                 void *const *args, int32_t nargs, int64_t grid) {
  TimedCall timed(context, stream);
  if (!canIssue(context, stream))
    return;
  if (stream == DSRT_STREAM_COMPUTE)
    return context->pool->run(kernel, args, grid);
  if (nargs < 0 || nargs > DSRT_MAX_QUEUED_ARGUMENTS)
    return context->fail(internalError(
        "a launch on stream ", stream, " has ", nargs, " arguments, and ",
        int(DSRT_MAX_QUEUED_ARGUMENTS), " are allowed"));
  context->queued(stream)->launch(kernel, args, nargs, grid);
}

void dsrt_contraction(dsrt_context *context, int32_t stream,
                      const dsrt_contraction_desc *desc, const void *a,
                      const void *b, void *c) {
  TimedCall timed(context, stream);
  if (!canIssue(context, stream))
    return;
  if (Status status = checkContraction(*desc); !status.ok())
    return context->fail(status);
  if (stream == DSRT_STREAM_COMPUTE) {
    Status status = runContraction(context->pool, *desc, a, b, c);
    if (!status.ok())
      context->fail(status);
    return;
  }
  if (Status status = findContractionProvider(); !status.ok())
    return context->fail(status);
  auto slot = [](int64_t value) {
    return reinterpret_cast<void *>(static_cast<intptr_t>(value));
  };
  void *const args[kContractionArgs] = {slot(desc->type),
                                        slot(desc->transpose_a),
                                        slot(desc->transpose_b),
                                        slot(desc->accumulate),
                                        slot(desc->batch),
                                        slot(desc->m),
                                        slot(desc->n),
                                        slot(desc->k),
                                        const_cast<void *>(a),
                                        const_cast<void *>(b),
                                        c};
  context->queued(stream)->launch(contractionKernel, args, kContractionArgs, 1);
}

void dsrt_event_record(dsrt_context *context, int32_t stream, int32_t event) {
  if (context->recorder) // Takes no time.
    context->recorder->nextCall();
  if (!canIssue(context, stream) || !isEvent(context, event))
    return;
  QueuedStream *queued = context->queued(stream);
  context->events[event] = {queued, queued ? queued->position() : 0};
}

void dsrt_event_wait(dsrt_context *context, int32_t stream, int32_t event) {
  TimedCall timed(context, stream, /*isWait=*/true);
  if (!canIssue(context, stream) || !isEvent(context, event))
    return;
  // A stream that waits for another one than computation has the issuer wait.
  auto [queued, position] = context->events[event];
  if (queued && queued != context->queued(stream))
    queued->waitFor(position);
}

void dsrt_copy(dsrt_context *context, int32_t stream, void *dst,
               const void *src, uint64_t bytes) {
  TimedCall timed(context, stream);
  if (!canIssue(context, stream) || bytes == 0)
    return;
  if (QueuedStream *queued = context->queued(stream))
    return queued->copy(dst, src, bytes);
  void *const args[] = {dst, const_cast<void *>(src), &bytes};
  context->pool->run(copyPieces, args, piecesOf(bytes));
}

void dsrt_fill_zero(dsrt_context *context, int32_t stream, void *dst,
                    uint64_t bytes) {
  TimedCall timed(context, stream);
  if (!canIssue(context, stream) || bytes == 0)
    return;
  if (QueuedStream *queued = context->queued(stream))
    return queued->fillZero(dst, bytes);
  void *const args[] = {dst, &bytes};
  context->pool->run(zeroPieces, args, piecesOf(bytes));
}

void dsrt_all_gather(dsrt_context *context, int32_t stream, int32_t group,
                     const void *shard, void *full, int32_t more) {
  TimedCall timed(context, stream, /*isWait=*/true);
  const GroupMessage *message = findGroup(context, group);
  if (!message || !canIssue(context, stream))
    return;
  context->communication->allGather({shard, full, message->ranges()}, more);
  if (!more)
    finishOn(context, stream);
}

void dsrt_all_gather_bytes(dsrt_context *context, int32_t stream,
                           const void *src, void *dst,
                           uint64_t bytes_per_rank) {
  TimedCall timed(context, stream, /*isWait=*/true);
  if (!canIssue(context, stream))
    return;
  context->communication->allGather(
      {src, dst, Slices(bytes_per_rank, context->channel->size())});
  finishOn(context, stream);
}

void dsrt_all_to_all(dsrt_context *context, int32_t stream, int32_t group,
                     const void *full, void *slices, int32_t more) {
  TimedCall timed(context, stream, /*isWait=*/true);
  const GroupMessage *message = findGroup(context, group);
  if (!message || !canIssue(context, stream))
    return;
  context->communication->allToAll({full, slices, message->ranges()}, more);
  if (!more)
    finishOn(context, stream);
}

uint32_t dsrt_world_size(dsrt_context *context) {
  return context->channel->size();
}

uint32_t dsrt_rank(dsrt_context *context) { return context->channel->rank(); }
