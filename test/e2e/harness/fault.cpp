// Lets one rank of dsrun fail at one collective. Preloaded in front of libdsrt.
//
//   DSC_FAULT=KIND:RANK:NUMBER
//
// KIND is what RANK (from 0) does when its compiled code issues its collective
// NUMBER (from 1): `exit0`, `exit3` and `abort` are calls of these; `kill` and
// `stop` signals; `sleep` never returns; `throw` lets the next
// allocation of the thread that runs the training fail, which rank 0 makes to
// write metrics.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

int forks, rank = -1;
long collectives;
bool failsToAllocate;

template <typename Function> Function *next(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

void failIfDue() {
  static char kind[16];
  static int faulty = -1;
  static long due;
  if (!kind[0])
    if (const char *fault = std::getenv("DSC_FAULT"))
      std::sscanf(fault, "%15[^:]:%d:%ld", kind, &faulty, &due);
  if (rank != faulty || ++collectives != due)
    return;
  auto is = [](const char *name) { return std::strcmp(kind, name) == 0; };
  if (is("exit0"))
    std::exit(0);
  if (is("exit3"))
    std::exit(3);
  if (is("abort"))
    std::abort();
  if (is("kill"))
    kill(getpid(), SIGKILL);
  if (is("stop"))
    kill(getpid(), SIGSTOP);
  while (is("sleep"))
    pause();
  failsToAllocate = is("throw");
}

// All arguments are integers or pointers, which travel in six registers.
using Collective = void(long, long, long, long, long, long);

} // namespace

#define DSC_COLLECTIVE(name)                                                   \
  extern "C" void name(long a, long b, long c, long d, long e, long f) {       \
    static Collective *const original = next<Collective>(#name);               \
    failIfDue();                                                               \
    original(a, b, c, d, e, f);                                                \
  }
DSC_COLLECTIVE(dsrt_all_gather)
DSC_COLLECTIVE(dsrt_all_gather_bytes)
DSC_COLLECTIVE(dsrt_all_to_all)

extern "C" pid_t fork() {
  static auto *const original = next<pid_t()>("fork");
  pid_t child = original();
  if (child == 0)
    rank = forks;
  ++forks;
  return child;
}

void *operator new(std::size_t bytes) {
  if (failsToAllocate && syscall(SYS_gettid) == getpid()) {
    failsToAllocate = false;
    throw std::bad_alloc();
  }
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  throw std::bad_alloc();
}

void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
