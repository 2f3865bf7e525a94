/// Kernels of the thread pool that stand for those of a training step.

#ifndef DSC_RUNTIME_CALIBRATE_WORKLOADS_H
#define DSC_RUNTIME_CALIBRATE_WORKLOADS_H

#include <cstdint>

namespace dsc::runtime {

/// Elements of one grid index.
constexpr int64_t kBlock = 4096;

/// FLOPs that the compiler's cost model counts for a function of one element.
constexpr double kFunctionFlops = 20;

/// y = exp(x) as generated kernels compute it; args: x, y, float arrays.
void computeExponentials(void *const *args, int64_t begin, int64_t end);

/// z = x + 0.5 y; args: x, y, z, float arrays.
void addArrays(void *const *args, int64_t begin, int64_t end);

/// Nothing at all.
void doNothing(void *const *args, int64_t begin, int64_t end);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CALIBRATE_WORKLOADS_H
