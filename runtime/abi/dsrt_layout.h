/* The layout of the memory that one rank holds, as a function of the world
 * size.
 *
 * Whoever plans and whoever allocates calls this one function, so what is
 * planned is what is allocated. Plain C, no dependencies, no allocation.
 *
 * The memory is one block, and behind it, in the same range of addresses, what
 * is offloaded, which the runtime may keep in a file:
 *
 *   | step region | states, in table order | inputs |  | offloaded states |
 *
 * The step region (arena) has a size that the compiler fixed, free of the world
 * size N. A state that belongs to no group is one tensor. The states of a group
 * are the same tensors several times over: once as parameters, once as
 * gradients, once for each moment. Each time is one *copy* of the group's flat
 * space of E elements, and one buffer:
 *
 *   sharded copy:  the rank's range of it
 *   whole copy:    all ranges one after the other, so that a collective needs
 *                  no second buffer
 *
 * Ranges are cut in units of U elements, and what lies behind the last tensor
 * is a tail of zeros. Ranks of equal shares have S = U * ceil(E / (U * N))
 * elements each, N * S together. Ranks with weights share the ceil(E / U) units
 * by the method of largest remainders: each has the whole part of units *
 * weight / (sum of weights), and the units left over go to the largest
 * fractions, of equal ones to the lowest ranks. A rank of weight 0 owns
 * nothing.
 *
 * The zero stage of the group says which copies are sharded: optimizer state
 * from stage 1, gradients from stage 2, parameters from stage 3.
 *
 * The states of one copy are all offloaded, or none of them is.
 */
#ifndef DSRT_LAYOUT_H
#define DSRT_LAYOUT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Elements in the unit that ranges are cut in, unless a codec needs more. */
#define DSRT_LAYOUT_MIN_UNIT 64

enum dsrt_state_class {
  DSRT_CLASS_PARAMETER,
  DSRT_CLASS_GRADIENT,
  DSRT_CLASS_OPTIMIZER,
  DSRT_CLASS_SCALAR, /* settings, counters, accumulators, reports: no group */
  DSRT_CLASS_STAGING /* wire buffers; with a group, one range of this rank from
                        each rank, of any group of at most as many elements */
};

/* What is known at compile time. */
typedef struct dsrt_layout_group {
  uint64_t elements; /* E: segments with their alignment gaps */
  uint32_t element_bytes;
  uint32_t stage; /* 0 to 3 */
} dsrt_layout_group;

typedef struct dsrt_layout_state {
  uint64_t elements;
  uint32_t element_bytes;
  uint32_t state_class;  /* enum dsrt_state_class */
  int32_t group;         /* index of its group, or -1 */
  uint64_t group_offset; /* first element in the group's flat space */
  uint32_t offloaded;    /* 1: lies behind the block, else 0 */
} dsrt_layout_state;

typedef struct dsrt_layout_table {
  const dsrt_layout_group *groups;
  const dsrt_layout_state *states;
  const uint64_t *input_bytes; /* one input buffer each */
  uint32_t group_count;
  uint32_t state_count;
  uint32_t input_count;
  uint32_t unit;        /* U: max(64, codec block) elements */
  uint64_t arena_bytes; /* the step region */
} dsrt_layout_table;

/* What is offloaded begins on a multiple of this many bytes, so that a file can
 * be mapped there, whatever the size of a page. */
#define DSRT_LAYOUT_OFFLOAD_ALIGNMENT 65536

/* dsrt_layout_place.tensor_offset of a tensor that is cut among ranks. */
#define DSRT_LAYOUT_NOT_WHOLE UINT64_MAX

/* Where a state lies on this rank. Offsets are bytes from the block's start.
 * The part of a state is what the rank's range of the group has of the tensor,
 * whether the rank holds the rest of it or not; that of a state without a group
 * is the whole tensor. */
typedef struct dsrt_layout_place {
  uint64_t tensor_offset; /* first element, or DSRT_LAYOUT_NOT_WHOLE */
  uint64_t part_offset;   /* first element of the part */
  uint64_t part_begin;    /* first element of the part, counted in the tensor */
  uint64_t part_elements; /* 0 allowed */
  uint64_t buffer;        /* start of the copy's buffer */
  uint64_t range_offset;  /* start of the rank's range in that buffer */
  uint64_t range_elements; /* without a group, the whole tensor */
  uint64_t whole_elements; /* of all ranges; without a group, the tensor */
  uint64_t buffer_bytes;   /* of the copy on this rank, without alignment */
  uint32_t copy;           /* which copy of its class in the group, from 0 */
} dsrt_layout_place;

typedef struct dsrt_layout {
  dsrt_layout_place *places; /* caller's array, one for each state */
  uint64_t *input_offsets;   /* caller's array, one for each input */
  uint64_t *bounds; /* caller's array: of each group the world + 1 numbers that
                       dsrt_layout_cut gives */
  uint64_t state_offset;   /* bytes to the first state */
  uint64_t input_offset;   /* bytes to the first input buffer */
  uint64_t total_bytes;    /* size of the block */
  uint64_t offload_offset; /* bytes to the first offloaded state; total_bytes if
                              there is none */
  uint64_t offload_bytes;  /* of all of them */
  uint64_t snapshot_bytes; /* beside the block, for a run that saves in the
                              background: what this rank writes to a
                              checkpoint, which is its part of each state but
                              gradients and staging; of states without a
                              group, all on rank 0 and nothing on others */
} dsrt_layout;

enum {
  DSRT_LAYOUT_OK = 0,
  DSRT_LAYOUT_OVERFLOW = 1, /* a size does not fit in 64 bits */
  DSRT_LAYOUT_INVALID = 2   /* an index or a segment is out of range */
};

/* Cuts a group among ranks: the range of rank r is [bounds[r], bounds[r + 1]).
 * `weights` has one number for each rank; null: equal shares. `bounds` has room
 * for world + 1 numbers. Returns DSRT_LAYOUT_OK, _OVERFLOW, or _INVALID if
 * there is no rank or all weights are 0. */
int dsrt_layout_cut(const dsrt_layout_group *group, uint32_t world,
                    uint32_t unit, const uint32_t *weights, uint64_t *bounds);

/* Fills *layout for one rank. The arrays of *layout must be set by the caller.
 * All offsets are multiples of DSRT_ALIGNMENT, except that the tensors of a
 * group lie where their segment offset puts them. */
int dsrt_layout_compute(const dsrt_layout_table *table, uint32_t world,
                        const uint32_t *weights, uint32_t rank,
                        dsrt_layout *layout);

#ifdef __cplusplus
}
#endif

#endif /* DSRT_LAYOUT_H */
