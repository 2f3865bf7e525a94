#include "runtime/data/FaultGuard.h"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <mutex>

namespace {

/// Where the copy of this thread goes on after a fault; null outside of one.
thread_local sigjmp_buf *resume = nullptr;

struct sigaction previous;

void onFault(int signal, siginfo_t *info, void *context) {
  if (resume)
    siglongjmp(*resume, 1);
  if (previous.sa_flags & SA_SIGINFO)
    return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    return previous.sa_handler(signal);
  // On return the fault comes again, and ends the process as it always did.
  std::signal(SIGBUS, SIG_DFL);
}

void install() {
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  // Not blocked in the handler, which is left by a jump.
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGBUS, &action, &previous);
}

} // namespace

bool dsc::runtime::copyGuarded(void *to, std::span<const std::byte> from) {
  static std::once_flag installed;
  std::call_once(installed, install);
  sigjmp_buf here;
  if (sigsetjmp(here, /*savemask=*/0) != 0) {
    resume = nullptr;
    return false;
  }
  resume = &here;
  if (!from.empty())
    std::memcpy(to, from.data(), from.size());
  resume = nullptr;
  return true;
}
