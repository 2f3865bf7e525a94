/* The part of the runtime that kernels need, for a test that owns all memory.
 * Runs grids in pieces of `piece` indices, last piece first, so that a kernel
 * whose result depends on the split cannot pass. */
#include "runtime/abi/dsrt.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void *inputs[16];
EXPORT void *states[16];
EXPORT int64_t part_elements[16];
EXPORT void *arena;
EXPORT int64_t piece = 1;
EXPORT int64_t launches;

void *dsrt_input(dsrt_context *context, int32_t index) { return inputs[index]; }
void *dsrt_arena(dsrt_context *context) { return arena; }
void *dsrt_state(dsrt_context *context, int32_t index) { return states[index]; }
void *dsrt_part(dsrt_context *context, int32_t index) { return states[index]; }

int64_t dsrt_part_elements(dsrt_context *context, int32_t index) {
  return part_elements[index];
}

void dsrt_launch(dsrt_context *context, int32_t stream, dsrt_kernel kernel,
                 void *const *args, int32_t nargs, int64_t grid) {
  ++launches;
  for (int64_t begin = (grid - 1) / piece * piece; begin >= 0; begin -= piece)
    kernel(args, begin, begin + piece < grid ? begin + piece : grid);
}

void dsrt_copy(dsrt_context *context, int32_t stream, void *dst,
               const void *src, uint64_t bytes) {
  memcpy(dst, src, bytes);
}

void dsrt_fill_zero(dsrt_context *context, int32_t stream, void *dst,
                    uint64_t bytes) {
  memset(dst, 0, bytes);
}

void dsrt_contraction(dsrt_context *context, int32_t stream,
                      const dsrt_contraction_desc *desc, const void *a,
                      const void *b, void *c) {
  const float *x = a, *y = b;
  float *z = c;
  for (int64_t i = 0; i < desc->m; ++i)
    for (int64_t j = 0; j < desc->n; ++j) {
      double sum = desc->accumulate ? z[i * desc->n + j] : 0;
      for (int64_t l = 0; l < desc->k; ++l)
        sum += x[desc->transpose_a ? l * desc->m + i : i * desc->k + l] *
               y[desc->transpose_b ? j * desc->k + l : l * desc->n + j];
      z[i * desc->n + j] = sum;
    }
}
