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

/* Holds the product of two numbers of 64 bits. */
__extension__ typedef unsigned __int128 uint128;

/* How many of `remainders` are above `bound`. */
static uint64_t count_above(const uint64_t *remainders, uint32_t world,
                            uint64_t bound) {
  uint64_t count = 0;
  for (uint32_t i = 0; i < world; ++i)
    count += remainders[i] > bound;
  return count;
}

/* Replaces each rank's remainder, below `total`, by 1 if it is among the `left`
 * largest, of equal ones the first, else by 0. */
static void choose_largest(uint64_t *remainders, uint32_t world, uint64_t total,
                           uint64_t left) {
  /* The smallest bound that at most `left` are above. */
  uint64_t low = 0, high = total - 1;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (count_above(remainders, world, middle) <= left)
      high = middle;
    else
      low = middle + 1;
  }
  uint64_t equal = left - count_above(remainders, world, low);
  for (uint32_t i = 0; i < world; ++i) {
    int chosen = remainders[i] > low;
    if (remainders[i] == low && equal > 0) {
      chosen = 1;
      --equal;
    }
    remainders[i] = chosen;
  }
}

static int cut_by_weight(uint64_t units, uint32_t world,
                         const uint32_t *weights, uint64_t *bounds) {
  uint64_t total = 0, left = units;
  for (uint32_t i = 0; i < world; ++i)
    total += weights[i]; /* below 2^32 * 2^32 */
  if (total == 0)
    return DSRT_LAYOUT_INVALID;
  for (uint32_t i = 0; i < world; ++i) {
    uint128 share = (uint128)units * weights[i];
    left -= (uint64_t)(share / total);
    bounds[i + 1] = (uint64_t)(share % total);
  }
  /* The remainders add up to left * total, so more than `left` ranks have one
   * above 0 if any is left: none that owns nothing by its weight is chosen. */
  choose_largest(bounds + 1, world, total, left);
  bounds[0] = 0;
  for (uint32_t i = 0; i < world; ++i)
    bounds[i + 1] +=
        bounds[i] + (uint64_t)((uint128)units * weights[i] / total);
  return DSRT_LAYOUT_OK;
}

static int cut_equally(uint64_t units, uint32_t world, uint64_t *bounds) {
  uint64_t each = units / world + (units % world != 0);
  uint64_t all;
  if (__builtin_mul_overflow(each, (uint64_t)world, &all))
    return DSRT_LAYOUT_OVERFLOW;
  for (uint32_t i = 0; i <= world; ++i)
    bounds[i] = each * i;
  return DSRT_LAYOUT_OK;
}

int dsrt_layout_cut(const dsrt_layout_group *group, uint32_t world,
                    uint32_t unit, const uint32_t *weights, uint64_t *bounds) {
  if (world == 0 || unit == 0)
    return DSRT_LAYOUT_INVALID;
  uint64_t units = group->elements / unit + (group->elements % unit != 0);
  int status = weights ? cut_by_weight(units, world, weights, bounds)
                       : cut_equally(units, world, bounds);
  for (uint32_t i = 0; i <= world && status == DSRT_LAYOUT_OK; ++i)
    if (__builtin_mul_overflow(bounds[i], (uint64_t)unit, &bounds[i]))
      status = DSRT_LAYOUT_OVERFLOW;
  return status;
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
 * has reserved it. Tensors without elements may share an offset, and any copy
 * will do for them. */
static int find_copy(const dsrt_layout_state *states, uint32_t index,
                     dsrt_layout_place *places) {
  const dsrt_layout_state *state = &states[index];
  uint32_t copy = 0;
  for (uint32_t i = 0; i < index && state->elements > 0; ++i)
    copy += states[i].group == state->group &&
            states[i].state_class == state->state_class &&
            states[i].group_offset == state->group_offset &&
            states[i].elements == state->elements;
  places[index].copy = copy;
  for (uint32_t i = 0; i < index; ++i)
    if (states[i].group == state->group &&
        states[i].state_class == state->state_class &&
        states[i].offloaded == state->offloaded && places[i].copy == copy) {
      places[index].buffer = places[i].buffer;
      return 1;
    }
  return 0;
}

/* Places what has `elements` of its own, whole. */
static int place_whole(uint64_t elements, uint32_t element_bytes,
                       uint64_t *cursor, dsrt_layout_place *place) {
  uint64_t bytes;
  if (__builtin_mul_overflow(elements, (uint64_t)element_bytes, &bytes) ||
      !append(cursor, bytes, &place->buffer))
    return DSRT_LAYOUT_OVERFLOW;
  place->tensor_offset = place->buffer;
  place->part_offset = place->buffer;
  place->part_begin = 0;
  place->part_elements = elements;
  place->range_offset = place->buffer;
  place->range_elements = elements;
  place->whole_elements = elements;
  place->buffer_bytes = bytes;
  place->copy = 0;
  return DSRT_LAYOUT_OK;
}

/* One slice from each rank. By weight, a rank may have a unit less of a larger
 * group than of a smaller one. */
static int place_staging(const dsrt_layout_table *table,
                         const dsrt_layout_state *state, uint32_t world,
                         uint32_t rank, const uint64_t *bounds,
                         uint64_t *cursor, dsrt_layout_place *place) {
  uint64_t slice = 0, elements;
  for (uint32_t i = 0; i < table->group_count; ++i) {
    const uint64_t *cut = bounds + (uint64_t)i * (world + 1);
    uint64_t range = cut[rank + 1] - cut[rank];
    if (table->groups[i].element_bytes == state->element_bytes &&
        table->groups[i].elements <= table->groups[state->group].elements &&
        range > slice)
      slice = range;
  }
  if (__builtin_mul_overflow(slice, (uint64_t)world, &elements))
    return DSRT_LAYOUT_OVERFLOW;
  return place_whole(elements, state->element_bytes, cursor, place);
}

static int place_in_group(const dsrt_layout_table *table, uint32_t index,
                          uint32_t world, uint32_t rank, const uint64_t *bounds,
                          uint64_t *cursor, dsrt_layout_place *places) {
  const dsrt_layout_state *state = &table->states[index];
  const dsrt_layout_group *group = &table->groups[state->group];
  dsrt_layout_place *place = &places[index];
  if (state->element_bytes != group->element_bytes ||
      state->group_offset > group->elements ||
      state->elements > group->elements - state->group_offset)
    return DSRT_LAYOUT_INVALID;
  if (state->state_class == DSRT_CLASS_STAGING)
    return place_staging(table, state, world, rank, bounds, cursor, place);

  const uint64_t *cut = bounds + (uint64_t)state->group * (world + 1);
  uint64_t range_begin = cut[rank], range_end = cut[rank + 1];
  int sharded = is_sharded(state->state_class, group->stage);
  if (__builtin_mul_overflow(sharded ? range_end - range_begin : cut[world],
                             (uint64_t)group->element_bytes,
                             &place->buffer_bytes) ||
      (!find_copy(table->states, index, places) &&
       !append(cursor, place->buffer_bytes, &place->buffer)))
    return DSRT_LAYOUT_OVERFLOW;

  /* The tensor's range cut to the rank's range, both in the flat space. */
  uint64_t begin = state->group_offset, end = begin + state->elements;
  uint64_t low = begin > range_begin ? begin : range_begin;
  uint64_t high = end < range_end ? end : range_end;
  if (low > high) /* nothing of it: an empty part at the range's start */
    low = high = range_begin;
  uint64_t buffer_begin = sharded ? range_begin : 0;
  place->range_offset =
      place->buffer + (range_begin - buffer_begin) * group->element_bytes;
  place->range_elements = range_end - range_begin;
  place->whole_elements = cut[world];
  place->part_offset =
      place->buffer + (low - buffer_begin) * group->element_bytes;
  place->part_begin = low == high ? 0 : low - begin;
  place->part_elements = high - low;
  place->tensor_offset = sharded ? DSRT_LAYOUT_NOT_WHOLE
                                 : place->buffer + begin * group->element_bytes;
  return DSRT_LAYOUT_OK;
}

/* No overflow: the parts of a rank lie in its block, which has been placed. */
static uint64_t snapshot_bytes(const dsrt_layout_table *table, uint32_t rank,
                               const dsrt_layout_place *places) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < table->state_count; ++i) {
    const dsrt_layout_state *state = &table->states[i];
    if (state->state_class != DSRT_CLASS_GRADIENT &&
        state->state_class != DSRT_CLASS_STAGING &&
        (state->group >= 0 || rank == 0))
      bytes += places[i].part_elements * state->element_bytes;
  }
  return bytes;
}

/* Places the states that are offloaded, or all others. */
static int place_states(const dsrt_layout_table *table, uint32_t offloaded,
                        uint32_t world, uint32_t rank, uint64_t *cursor,
                        dsrt_layout *layout) {
  for (uint32_t i = 0; i < table->state_count; ++i) {
    const dsrt_layout_state *state = &table->states[i];
    if (state->offloaded != offloaded)
      continue;
    int status = state->group < 0
                     ? place_whole(state->elements, state->element_bytes,
                                   cursor, &layout->places[i])
                     : place_in_group(table, i, world, rank, layout->bounds,
                                      cursor, layout->places);
    if (status != DSRT_LAYOUT_OK)
      return status;
  }
  return DSRT_LAYOUT_OK;
}

int dsrt_layout_compute(const dsrt_layout_table *table, uint32_t world,
                        const uint32_t *weights, uint32_t rank,
                        dsrt_layout *layout) {
  if (world == 0 || rank >= world || table->unit == 0)
    return DSRT_LAYOUT_INVALID;
  uint64_t cursor = 0, arena;
  if (!append(&cursor, table->arena_bytes, &arena))
    return DSRT_LAYOUT_OVERFLOW;

  for (uint32_t i = 0; i < table->group_count; ++i) {
    int status = dsrt_layout_cut(&table->groups[i], world, table->unit, weights,
                                 layout->bounds + (uint64_t)i * (world + 1));
    if (status != DSRT_LAYOUT_OK)
      return status;
  }

  int has_offloaded = 0;
  for (uint32_t i = 0; i < table->state_count; ++i) {
    const dsrt_layout_state *state = &table->states[i];
    if (state->group < -1 || state->group >= (int64_t)table->group_count ||
        state->offloaded > 1)
      return DSRT_LAYOUT_INVALID;
    has_offloaded |= (int)state->offloaded;
  }
  layout->state_offset = cursor;
  int status = place_states(table, 0, world, rank, &cursor, layout);
  if (status != DSRT_LAYOUT_OK)
    return status;

  layout->input_offset = cursor;
  for (uint32_t i = 0; i < table->input_count; ++i)
    if (!append(&cursor, table->input_bytes[i], &layout->input_offsets[i]))
      return DSRT_LAYOUT_OVERFLOW;
  layout->total_bytes = cursor;
  if (has_offloaded) {
    uint64_t padding = DSRT_LAYOUT_OFFLOAD_ALIGNMENT - 1;
    if (__builtin_add_overflow(cursor, padding, &cursor))
      return DSRT_LAYOUT_OVERFLOW;
    cursor -= cursor % DSRT_LAYOUT_OFFLOAD_ALIGNMENT;
  }
  layout->offload_offset = cursor;
  status = place_states(table, 1, world, rank, &cursor, layout);
  if (status != DSRT_LAYOUT_OK)
    return status;
  layout->offload_bytes = cursor - layout->offload_offset;
  layout->snapshot_bytes = snapshot_bytes(table, rank, layout->places);
  return DSRT_LAYOUT_OK;
}
