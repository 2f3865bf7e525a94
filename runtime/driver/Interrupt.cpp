#include "runtime/driver/Interrupt.h"

#include <cerrno>
#include <initializer_list>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

volatile std::sig_atomic_t interrupted = 0;

void remember(int) {
  interrupted = 1;
  announceInterrupt();
}

} // namespace

void dsc::runtime::announceInterrupt() {
  // Behind the ^C in the line that is redrawn.
  static constexpr char kText[] = "\ndsrun: notice: ending after this update; "
                                  "press Ctrl-C again to end at once\n";
  const int error = errno;
  if (::isatty(STDERR_FILENO)) [[maybe_unused]]
    ssize_t written = ::write(STDERR_FILENO, kText, sizeof(kText) - 1);
  errno = error;
}

InterruptGuard::InterruptGuard() {
  interrupted = 0;
  struct sigaction action = {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, &oldInterrupt);
  sigaction(SIGTERM, &action, &oldTerminate);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &oldInterrupt, nullptr);
  sigaction(SIGTERM, &oldTerminate, nullptr);
}

sigset_t dsc::runtime::interruptSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0 &&
        action.sa_handler != SIG_IGN)
      sigaddset(&signals, signal);
  }
  return signals;
}

bool InterruptGuard::requested() const { return interrupted; }
