#include "runtime/abi/dsrt_layout.h"
#include "runtime/abi/dsrt.h"

/* Reserves `bytes` at the next aligned offset; 0 if that does not fit. */
static int append(uint64_t *cursor, uint64_t bytes, uint64_t *offset) {
  uint64_t padded;
  if (__builtin_add_overflow(bytes, (uint64_t)DSRT_ALIGNMENT - 1, &padded))
    return 0;
  padded -= padded % DSRT_ALIGNMENT;
  *offset = *cursor;
  return !__builtin_add_overflow(*cursor, padded, cursor);
}

int dsrt_layout_shard_elements(const dsrt_layout_group *group, uint32_t world,
                               uint32_t unit, uint64_t *elements) {
  uint64_t stride;
  if (__builtin_mul_overflow((uint64_t)unit, (uint64_t)world, &stride))
    return DSRT_LAYOUT_OVERFLOW;
  uint64_t units = group->elements / stride + (group->elements % stride != 0);
  if (__builtin_mul_overflow(units, (uint64_t)unit, elements))
    return DSRT_LAYOUT_OVERFLOW;
  return DSRT_LAYOUT_OK;
}

/* Whether the copies of this class are cut among ranks at this stage. */
static int is_sharded(uint32_t state_class, uint32_t stage) {
  switch (state_class) {
  case DSRT_CLASS_PARAMETER:
    return stage >= 3;
  case DSRT_CLASS_GRADIENT:
    return stage >= 2;
  case DSRT_CLASS_OPTIMIZER:
    return stage >= 1;
  default:
    return 0;
  }
}

/* Finds which copy of its group a state belongs to, the k-th of one class at
 * one offset lying in the k-th copy, and that copy's buffer if an earlier state
 * has reserved it. */
static int find_copy(const dsrt_layout_state *states, uint32_t index,
                     dsrt_layout_place *places) {
  const dsrt_layout_state *state = &states[index];
  uint32_t copy = 0;
  for (uint32_t i = 0; i < index; ++i)
    copy += states[i].group == state->group &&
            states[i].state_class == state->state_class &&
            states[i].group_offset == state->group_offset &&
            states[i].elements == state->elements;
  places[index].copy = copy;
  for (uint32_t i = 0; i < index; ++i)
    if (states[i].group == state->group &&
        states[i].state_class == state->state_class && places[i].copy == copy) {
      places[index].buffer = places[i].buffer;
      return 1;
    }
  return 0;
}

static int place_in_group(const dsrt_layout_table *table, uint32_t index,
                          uint32_t world, uint32_t rank, uint64_t *cursor,
                          dsrt_layout_place *places) {
  const dsrt_layout_state *state = &table->states[index];
  const dsrt_layout_group *group = &table->groups[state->group];
  if (state->element_bytes != group->element_bytes ||
      state->group_offset > group->elements ||
      state->elements > group->elements - state->group_offset)
    return DSRT_LAYOUT_INVALID;

  uint64_t shard, whole, buffer_bytes;
  if (dsrt_layout_shard_elements(group, world, table->unit, &shard) ||
      __builtin_mul_overflow(shard, (uint64_t)world, &whole))
    return DSRT_LAYOUT_OVERFLOW;
  int sharded = is_sharded(state->state_class, group->stage);
  if (__builtin_mul_overflow(sharded ? shard : whole,
                             (uint64_t)group->element_bytes, &buffer_bytes))
    return DSRT_LAYOUT_OVERFLOW;
  dsrt_layout_place *place = &places[index];
  if (!find_copy(table->states, index, places) &&
      !append(cursor, buffer_bytes, &place->buffer))
    return DSRT_LAYOUT_OVERFLOW;

  /* The tensor's range cut to the rank's range, both in the flat space. */
  uint64_t begin = state->group_offset, end = begin + state->elements;
  uint64_t range_begin = shard * rank, range_end = range_begin + shard;
  uint64_t low = begin > range_begin ? begin : range_begin;
  uint64_t high = end < range_end ? end : range_end;
  if (low > high) /* nothing of it: an empty part at the range's start */
    low = high = range_begin;
  uint64_t buffer_begin = sharded ? range_begin : 0;
  place->range_offset =
      place->buffer + (range_begin - buffer_begin) * group->element_bytes;
  place->range_elements = shard;
  place->part_offset =
      place->buffer + (low - buffer_begin) * group->element_bytes;
  place->part_begin = low == high ? 0 : low - begin;
  place->part_elements = high - low;
  place->tensor_offset = sharded ? DSRT_LAYOUT_NOT_WHOLE
                                 : place->buffer + begin * group->element_bytes;
  return DSRT_LAYOUT_OK;
}

static int place_alone(const dsrt_layout_state *state, uint64_t *cursor,
                       dsrt_layout_place *place) {
  uint64_t bytes;
  if (__builtin_mul_overflow(state->elements, (uint64_t)state->element_bytes,
                             &bytes) ||
      !append(cursor, bytes, &place->buffer))
    return DSRT_LAYOUT_OVERFLOW;
  place->tensor_offset = place->buffer;
  place->part_offset = place->buffer;
  place->part_begin = 0;
  place->part_elements = state->elements;
  place->range_offset = place->buffer;
  place->range_elements = state->elements;
  place->copy = 0;
  return DSRT_LAYOUT_OK;
}

int dsrt_layout_compute(const dsrt_layout_table *table, uint32_t world,
                        uint32_t rank, dsrt_layout *layout) {
  if (world == 0 || rank >= world || table->unit == 0)
    return DSRT_LAYOUT_INVALID;
  uint64_t cursor = 0, arena;
  if (!append(&cursor, table->arena_bytes, &arena))
    return DSRT_LAYOUT_OVERFLOW;

  layout->state_offset = cursor;
  for (uint32_t i = 0; i < table->state_count; ++i) {
    const dsrt_layout_state *state = &table->states[i];
    if (state->group < -1 || state->group >= (int64_t)table->group_count)
      return DSRT_LAYOUT_INVALID;
    int status =
        state->group < 0
            ? place_alone(state, &cursor, &layout->places[i])
            : place_in_group(table, i, world, rank, &cursor, layout->places);
    if (status != DSRT_LAYOUT_OK)
      return status;
  }

  layout->input_offset = cursor;
  for (uint32_t i = 0; i < table->input_count; ++i)
    if (!append(&cursor, table->input_bytes[i], &layout->input_offsets[i]))
      return DSRT_LAYOUT_OVERFLOW;
  layout->total_bytes = cursor;
  return DSRT_LAYOUT_OK;
}
