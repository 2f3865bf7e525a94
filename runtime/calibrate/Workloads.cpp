#include "runtime/calibrate/Workloads.h"

#include <bit>

// Modules are compiled for x86-64-v3, the runtime for any machine.
#if defined(__x86_64__)
#define DSC_VECTORISED                                                         \
  __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define DSC_VECTORISED
#endif

DSC_VECTORISED
void dsc::runtime::computeExponentials(void *const *args, int64_t begin,
                                       int64_t end) {
  const float *x = static_cast<const float *>(args[0]);
  float *y = static_cast<float *>(args[1]);
  for (int64_t i = begin * kBlock; i < end * kBlock; ++i) {
    float clamped = x[i] < -104.0f ? -104.0f : x[i];
    clamped = clamped > 89.0f ? 89.0f : clamped;
    // The nearest multiple of ln 2, and the polynomial of what is left.
    constexpr float kShifter = 0x1.8p23f;
    float shifted = clamped * 0x1.715476p0f + kShifter;
    float n = shifted - kShifter;
    int32_t power =
        std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kShifter);
    float r = n * -0x1.62e400p-1f + clamped;
    r = n * -0x1.7f7d1cp-20f + r;
    float p = 0x1.a1b8c4p-13f;
    p = p * r + 0x1.6d9736p-10f;
    p = p * r + 0x1.11107cp-7f;
    p = p * r + 0x1.55548p-5f;
    p = p * r + 0x1.555556p-3f;
    p = p * r + 0x1p-1f;
    p = p * r * r + r + 1.0f;
    int32_t half = power >> 1, rest = power - half;
    p *= std::bit_cast<float>((half + 127) << 23);
    y[i] = p * std::bit_cast<float>((rest + 127) << 23);
  }
}

DSC_VECTORISED
void dsc::runtime::addArrays(void *const *args, int64_t begin, int64_t end) {
  const float *x = static_cast<const float *>(args[0]);
  const float *y = static_cast<const float *>(args[1]);
  float *z = static_cast<float *>(args[2]);
  for (int64_t i = begin * kBlock; i < end * kBlock; ++i)
    z[i] = x[i] + 0.5f * y[i];
}

void dsc::runtime::doNothing(void *const *, int64_t, int64_t) {}
