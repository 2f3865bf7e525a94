/* Counts heap allocations and mappings of a whole process while an entry point
 * runs. Preloaded in front of the C library; all threads are counted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long allocations;

void *malloc(size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  atomic_fetch_add(&allocations, 1);
  return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size) {
  return aligned_alloc(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  *result = aligned_alloc(alignment, size);
  return *result ? 0 : 12 /* ENOMEM */;
}

void *mmap(void *address, size_t length, int protection, int flags, int file,
           off_t offset) {
  static void *(*next)(void *, size_t, int, int, int, off_t);
  if (!next)
    next = dlsym(RTLD_NEXT, "mmap");
  atomic_fetch_add(&allocations, 1);
  return next(address, length, protection, flags, file, offset);
}

/* Runs `run(session, entry)` and returns what it allocated, or -1 if it failed.
 */
long count_allocations(int (*run)(void *, const char *), void *session,
                       const char *entry) {
  long before = atomic_load(&allocations);
  if (run(session, entry) != 0)
    return -1;
  return atomic_load(&allocations) - before;
}
