// Kills one rank of dsrun at one of the calls by which it changes files; a
// write is half done before. Preloaded in front of libdsrt.
//
//   DSC_KILL_WRITE=RANK:NUMBER   calls of a rank are counted from 1

#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

int forks, rank = 0;

template <typename Function> Function *next(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

bool isDue() {
  static const char *const wanted = std::getenv("DSC_KILL_WRITE");
  static int dueRank = -1;
  static long due;
  // Threads that write each have their turn.
  static long calls;
  if (dueRank < 0 &&
      (!wanted || std::sscanf(wanted, "%d:%ld", &dueRank, &due) != 2))
    return false;
  return rank == dueRank &&
         __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == due;
}

void killIfDue() {
  if (isDue())
    kill(getpid(), SIGKILL);
}

} // namespace

extern "C" {

int open(const char *path, int flags, ...) {
  static auto *const original = next<int(const char *, int, ...)>("open");
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (flags & O_CREAT)
    killIfDue();
  return original(path, flags, mode);
}

ssize_t write(int file, const void *data, size_t bytes) {
  static auto *const original =
      next<ssize_t(int, const void *, size_t)>("write");
  if (isDue()) {
    original(file, data, bytes / 2);
    kill(getpid(), SIGKILL);
  }
  return original(file, data, bytes);
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t offset) {
  static auto *const original =
      next<ssize_t(int, const void *, size_t, off_t)>("pwrite");
  if (isDue()) {
    original(file, data, bytes / 2, offset);
    kill(getpid(), SIGKILL);
  }
  return original(file, data, bytes, offset);
}

#define DSC_CALL(name, parameters, arguments)                                  \
  int name parameters {                                                        \
    static auto *const original = next<int parameters>(#name);                 \
    killIfDue();                                                               \
    return original arguments;                                                 \
  }
DSC_CALL(fsync, (int file), (file))
DSC_CALL(ftruncate, (int file, off_t bytes), (file, bytes))
DSC_CALL(mkdir, (const char *path, mode_t mode), (path, mode))
DSC_CALL(rename, (const char *from, const char *to), (from, to))
DSC_CALL(unlink, (const char *path), (path))
DSC_CALL(unlinkat, (int folder, const char *path, int flags),
         (folder, path, flags))

pid_t fork() {
  static auto *const original = next<pid_t()>("fork");
  pid_t child = original();
  if (child == 0)
    rank = forks;
  ++forks;
  return child;
}
}
