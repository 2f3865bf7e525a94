/* The contract between a compiled module and the dsc runtime, and the C
 * interface of the runtime for programs that embed it.
 *
 * This header is standalone: it includes the C standard headers and nothing
 * else. Part 1 is what a module exports. Part 2 is what the generated code of a
 * module calls while an entry point runs; dsrt_functions.def lists the same
 * functions, one row each, for the code generator. Part 3 is what a program
 * calls that loads and drives modules; dsrun is such a program, and
 * examples/embed is a small one.
 *
 * Units: sizes are bytes where the name says bytes and elements where it says
 * elements. Indices start at 0. Tensors are dense and row-major.
 */
#ifndef DSRT_H
#define DSRT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counts incompatible changes of parts 1 and 2. A module carries the number
 * that it was compiled for, and the runtime refuses any other. */
#define DSRT_ABI_VERSION 3

/* Every start of a tensor, shard, arena or input buffer is a multiple of this.
 */
#define DSRT_ALIGNMENT 128

#if defined(__GNUC__)
#define DSRT_API __attribute__((visibility("default")))
#else
#define DSRT_API
#endif

/*===----------------------------------------------------------------------===*
 * Part 1: what a module exports
 *===----------------------------------------------------------------------===*
 *
 *   const char     dsc_manifest[];        JSON, section .dsc.manifest
 *   const uint64_t dsc_manifest_size;     bytes, without a terminating zero
 *   const uint32_t dsc_abi_version;       DSRT_ABI_VERSION of the compiler
 *   void dsc_entry_<name>(dsrt_context *) one per entry of the manifest
 *
 * An entry point issues its work in one fixed order and has no state of its
 * own: all it reads and writes lies in memory that the context hands out.
 */

/* One rank's running entry point: memory, streams, channel, first error. */
typedef struct dsrt_context dsrt_context;

typedef void (*dsrt_entry)(dsrt_context *context);

/* A generated kernel. `args` holds one slot for each memref, its pointer, and
 * after it one for each dynamic dim, its size cast to void *: memref<4x8xf32>
 * has one slot, memref<?xf32> two, memref<?x?xf32> three. Computes the grid
 * indices [begin, end). The runtime may split the grid in any way over any
 * threads; the result must not depend on the split. */
typedef void (*dsrt_kernel)(void *const *args, int64_t begin, int64_t end);

/* Element types. The manifest spells them f32, f64, i64, i32, i1; an i1 element
 * is one byte, 0 or 1. */
enum { DSRT_F32 = 1, DSRT_F64 = 2, DSRT_I64 = 3, DSRT_I32 = 4, DSRT_I1 = 5 };

/* Work on one stream runs in the order of issue; work on different streams is
 * ordered by events only. */
enum {
  DSRT_STREAM_COMPUTE = 0,
  DSRT_STREAM_COMMUNICATION = 1,
  DSRT_STREAM_TRANSFER =
      2 /* between memory and offloaded states; copies only */
};

/* Limits of one entry point, checked at the call. */
enum {
  /* Slots of a launch on the communication stream, which copies them. A launch
   * on the compute stream has no limit. */
  DSRT_MAX_QUEUED_ARGUMENTS = 64,
  /* Events are numbered 0 to DSRT_MAX_EVENTS - 1. */
  DSRT_MAX_EVENTS = 16384
};

/* c[i] (+)= op(a[i]) * op(b[i]) for i in [0, batch). op(a) is m x k, op(b) is
 * k x n, c is m x n; a transposed operand is stored k x m or n x k. */
typedef struct dsrt_contraction_desc {
  int32_t type; /* DSRT_F32 or DSRT_F64: operands, result, accumulation */
  int32_t transpose_a; /* 0 or 1 */
  int32_t transpose_b; /* 0 or 1 */
  int32_t accumulate;  /* 0: c is overwritten; 1: the product is added to c */
  int64_t batch;       /* number of matrices, one after the other */
  int64_t m;
  int64_t n;
  int64_t k;
} dsrt_contraction_desc;

/*===----------------------------------------------------------------------===*
 * Part 2: what a running entry point calls
 *===----------------------------------------------------------------------===*
 *
 * All of these are called by the thread that called the entry point, and only
 * while it runs. None allocates memory. Errors are sticky: the first one is
 * kept in the context, later calls do nothing, and dsrt_session_run reports it.
 *
 * Pointers that they return stay valid and fixed while the session lives; they
 * belong to the session. Pointers that are passed to them must point into that
 * memory, except `args` and `desc`, which are read before the call returns.
 */

/* The buffer of input `index` of this entry (index into its manifest inputs).
 */
DSRT_API void *dsrt_input(dsrt_context *context, int32_t index);

/* Start of the step region: arena_bytes of the manifest, contents undefined at
 * entry. Outputs lie here, at the offsets that the manifest names. */
DSRT_API void *dsrt_arena(dsrt_context *context);

/* First element of a state that this rank holds whole. An error for a state
 * that is cut among ranks. `state` is an index into the manifest's states. */
DSRT_API void *dsrt_state(dsrt_context *context, int32_t state);

/* First element of this rank's part of a state: what the rank's range of the
 * group has of the tensor, whether or not the rank holds the rest too. The part
 * of a state without a group is the whole tensor. Never null. */
DSRT_API void *dsrt_part(dsrt_context *context, int32_t state);

/* Elements in this rank's part of a state; 0 if its range has none of it. */
DSRT_API int64_t dsrt_part_elements(dsrt_context *context, int32_t state);

/* Start of this rank's range of the copy of its group's flat space that a state
 * lies in: what a collective sends or receives. `state` may be any state of the
 * copy. A state without a group is a range of its own. */
DSRT_API void *dsrt_shard(dsrt_context *context, int32_t state);

/* Elements in that range; 0 if this rank owns nothing. */
DSRT_API int64_t dsrt_shard_elements(dsrt_context *context, int32_t state);

/* The first element of that range, counted in the whole copy. */
DSRT_API int64_t dsrt_shard_begin(dsrt_context *context, int32_t state);

/* Elements in the ranges of all ranks together. */
DSRT_API int64_t dsrt_flat_elements(dsrt_context *context, int32_t state);

/* Runs kernel(args, begin, end) over [0, grid) on `stream`. `nargs` counts the
 * slots of `args`. On the compute stream the caller takes part in the work and
 * all of it is done at return. */
DSRT_API void dsrt_launch(dsrt_context *context, int32_t stream,
                          dsrt_kernel kernel, void *const *args, int32_t nargs,
                          int64_t grid);

/* Computes *desc on `stream` with the contraction provider of the device. The
 * split of the work is a function of *desc alone. */
DSRT_API void dsrt_contraction(dsrt_context *context, int32_t stream,
                               const dsrt_contraction_desc *desc, const void *a,
                               const void *b, void *c);

/* Marks in `event` the work issued so far on `stream`. */
DSRT_API void dsrt_event_record(dsrt_context *context, int32_t stream,
                                int32_t event);

/* Makes later work on `stream` wait for the latest record of `event`; nothing
 * to wait for if it has never been recorded. */
DSRT_API void dsrt_event_wait(dsrt_context *context, int32_t stream,
                              int32_t event);

/* Copies `bytes` from src to dst, which do not overlap. On the transfer stream
 * one of them is an offloaded state, which may lie in a file. */
DSRT_API void dsrt_copy(dsrt_context *context, int32_t stream, void *dst,
                        const void *src, uint64_t bytes);

/* Sets `bytes` at dst to zero. */
DSRT_API void dsrt_fill_zero(dsrt_context *context, int32_t stream, void *dst,
                             uint64_t bytes);

/* Gathers the ranks' ranges of `group` (index into the manifest's groups), in
 * rank order, into `full`, tail included. Called by all ranks in the same
 * order. With `more`, the next call is of the same function and on the same
 * stream, and what both move travels together. */
DSRT_API void dsrt_all_gather(dsrt_context *context, int32_t stream,
                              int32_t group, const void *shard, void *full,
                              int32_t more);

/* The same for a message that belongs to no group, of `bytes_per_rank` bytes.
 */
DSRT_API void dsrt_all_gather_bytes(dsrt_context *context, int32_t stream,
                                    const void *src, void *dst,
                                    uint64_t bytes_per_rank);

/* Sends range r of `full`, a whole copy of `group`, to rank r, and receives
 * this rank's range of rank r's copy as slice r of `slices`, for each other
 * rank r. This rank's own slice is not written. `more` as for a gather. */
DSRT_API void dsrt_all_to_all(dsrt_context *context, int32_t stream,
                              int32_t group, const void *full, void *slices,
                              int32_t more);

/* Number of ranks, at least 1; fixed for the life of the session. */
DSRT_API uint32_t dsrt_world_size(dsrt_context *context);

/* This rank, below the number of ranks. */
DSRT_API uint32_t dsrt_rank(dsrt_context *context);

/*===----------------------------------------------------------------------===*
 * Part 3: loading and driving a module from a program
 *===----------------------------------------------------------------------===*
 *
 * Functions return a status; on any but DSRT_OK, dsrt_last_error() tells in one
 * sentence what is wrong and what to do. Nothing here exits the process or
 * prints.
 *
 * Threads: different sessions may be used from different threads at once, one
 * session from one thread at a time. A session starts its own worker threads at
 * creation and joins them in dsrt_session_destroy.
 */

enum {
  DSRT_OK = 0,
  DSRT_ERROR_INPUT =
      1, /* a file, a value or the machine: fixable by the caller */
  DSRT_ERROR_USAGE =
      2, /* an unknown name, or an argument that is not allowed */
  DSRT_ERROR_INTERNAL = 3 /* a defect of dsc */
};

typedef struct dsrt_module dsrt_module;
typedef struct dsrt_session dsrt_session;

/* What the last failing call on this thread said; "" if none failed. Owned by
 * the runtime, valid until the next failing call on this thread. */
DSRT_API const char *dsrt_last_error(void);

/* Version of the runtime, such as "0.1.0". Static. */
DSRT_API const char *dsrt_version(void);

/* Loads a module and checks its ABI version, manifest and the CPU features that
 * it needs, before any of its code runs. On success *module is the caller's, to
 * be closed with dsrt_module_close. */
DSRT_API int dsrt_module_open(const char *path, dsrt_module **module);

/* Unloads the module. Its sessions must have been destroyed. Null is allowed.
 */
DSRT_API void dsrt_module_close(dsrt_module *module);

/* The module's manifest: JSON, *bytes long, not zero-terminated. Owned by the
 * module. */
DSRT_API const char *dsrt_module_manifest(const dsrt_module *module,
                                          uint64_t *bytes);

/* Zero-initialise, then set `size` to sizeof(dsrt_session_options). */
typedef struct dsrt_session_options {
  uint64_t size;
  /* Threads that compute, the caller's included; 0: one for each core that this
   * process may use. Results do not depend on it. */
  int32_t threads;
  /* A safetensors file with the initial parameters by name; null: the file that
   * the manifest names, beside the module. Read during creation only. */
  const char *weights;
  /* A folder for the states that the module offloads: a file there that goes
   * with the process, however it ends. Null: they are held in memory, too. */
  const char *offload_directory;
} dsrt_session_options;

/* Lays out and allocates all memory that the module's entries will use, and
 * sets all states to their initial values. `options` may be null. The module
 * must outlive the session. On success *session is the caller's, to be
 * destroyed with dsrt_session_destroy. */
DSRT_API int dsrt_session_create(dsrt_module *module,
                                 const dsrt_session_options *options,
                                 dsrt_session **session);

/* Frees the session and joins its threads. Null is allowed. */
DSRT_API void dsrt_session_destroy(dsrt_session *session);

/* Bytes that the session has allocated for states, arena and inputs: what
 * `dsrun --dry-run` prints, without what is offloaded. */
DSRT_API uint64_t dsrt_session_allocated_bytes(const dsrt_session *session);

/* Copies `data` into the input `name` of every entry that has it; the manifest
 * says its type and shape, and `bytes` must be their size. Class labels, and
 * numbers that select rows of a table, are checked for their range. The caller
 * may reuse `data` at once. Sample weights need not be bound: they are 1. */
DSRT_API int dsrt_session_bind(dsrt_session *session, const char *name,
                               const void *data, uint64_t bytes);

/* The same for the input `name` of this type and shape, for modules whose
 * entries take several. An error if there is none. */
DSRT_API int dsrt_session_bind_input(dsrt_session *session, const char *name,
                                     const void *data, uint64_t bytes,
                                     int32_t type, int32_t rank,
                                     const int64_t *shape);

/* Runs an entry, such as "step_last", "update", "eval" or "forward", to its
 * end. All its inputs must have been bound; they stay bound. Allocates nothing.
 */
DSRT_API int dsrt_session_run(dsrt_session *session, const char *entry);

/* Output `name` of `entry`, as its last run left it: before that, a place of
 * the right size. *data belongs to the session and is valid until any entry
 * runs. */
DSRT_API int dsrt_session_output(dsrt_session *session, const char *entry,
                                 const char *name, const void **data,
                                 uint64_t *bytes);

/* Copies a state, such as a parameter or "dsc.report.loss", out of or into the
 * session. `bytes` must be its whole size. */
DSRT_API int dsrt_session_read_state(dsrt_session *session, const char *name,
                                     void *data, uint64_t bytes);
DSRT_API int dsrt_session_write_state(dsrt_session *session, const char *name,
                                      const void *data, uint64_t bytes);

/* Sets a run-time number of the optimizer or schedule, by its state name
 * ("dsc.lr") or its flag ("lr"). */
DSRT_API int dsrt_session_set(dsrt_session *session, const char *name,
                              double value);

/* Reads a scalar state as a number. */
DSRT_API int dsrt_session_get(dsrt_session *session, const char *name,
                              double *value);

/* Writes all parameters by name to a safetensors file. The file is written
 * aside, synchronised to disk and renamed, so `path` is either the old file or
 * the whole new one. */
DSRT_API int dsrt_session_save(dsrt_session *session, const char *path);

#ifdef __cplusplus
}
#endif

#endif /* DSRT_H */
