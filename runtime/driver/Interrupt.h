#ifndef DSC_RUNTIME_DRIVER_INTERRUPT_H
#define DSC_RUNTIME_DRIVER_INTERRUPT_H

#include <csignal>

namespace dsc::runtime {

/// Says on a terminal that an interrupt was heard, since the update may take
/// long. Safe in a signal handler.
void announceInterrupt();

/// While it lives, the first SIGINT or SIGTERM only asks the training loop to
/// end after its step; a second one ends the process at once.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

  bool requested() const;

private:
  struct sigaction oldInterrupt, oldTerminate;
};

/// SIGINT, SIGTERM and SIGHUP, for who waits for them, without those that this
/// process was told to ignore, as under nohup: blocked, they would arrive.
sigset_t interruptSignals();

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_INTERRUPT_H
