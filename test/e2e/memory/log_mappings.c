/* Writes the size of each private mapping that a process can read and write,
 * one a line, to a file of its own in the folder that DSC_MAPPINGS names.
 * Preloaded in front of the C library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *mmap(void *address, size_t bytes, int protection, int flags, int file,
           off_t offset) {
  static void *(*real)(void *, size_t, int, int, int, off_t);
  if (!real)
    real = dlsym(RTLD_NEXT, "mmap");
  const char *folder = getenv("DSC_MAPPINGS");
  if (folder && protection == (PROT_READ | PROT_WRITE) &&
      (flags & MAP_PRIVATE) && file < 0) {
    char path[4096], line[32];
    snprintf(path, sizeof(path), "%s/%d", folder, getpid());
    int log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    int length = snprintf(line, sizeof(line), "%zu\n", bytes);
    if (log >= 0 && write(log, line, length) == length)
      close(log);
  }
  return real(address, bytes, protection, flags, file, offset);
}
