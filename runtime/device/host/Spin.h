#ifndef DSC_RUNTIME_DEVICE_HOST_SPIN_H
#define DSC_RUNTIME_DEVICE_HOST_SPIN_H

#include <atomic>

namespace dsc::runtime {

/// Tells the core that this is a waiting loop.
inline void pauseCore() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits until `value` no longer is `old` and returns what it is. Spins for
/// some ten microseconds, about the gap between two kernels of a step, and
/// sleeps after that, so that idle threads cost nothing.
template <typename T> T waitForChange(const std::atomic<T> &value, T old) {
  constexpr int kSpins = 1500;
  for (int spin = 0; spin < kSpins; ++spin) {
    T now = value.load(std::memory_order_acquire);
    if (now != old)
      return now;
    pauseCore();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DEVICE_HOST_SPIN_H
