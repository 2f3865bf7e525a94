#ifndef DSC_RUNTIME_MACHINE_MACHINEFIELDS_H
#define DSC_RUNTIME_MACHINE_MACHINEFIELDS_H

#include "runtime/machine/Machine.h"

namespace dsc::runtime {

/// What a number stands for, which says what it may be.
struct Quantity {
  const char *expected; ///< In words, for messages.
  double least, most;
};

// Bounds are far outside of what there is, and keep sums of predicted times
// finite.
inline constexpr Quantity kRate = {"FLOP/s, from 1 to 1e24", 1, 1e24};
inline constexpr Quantity kBandwidth = {"bytes/s, from 1 to 1e18", 1, 1e18};
inline constexpr Quantity kLatency = {"seconds, from 0 to 1000", 0, 1000};
inline constexpr Quantity kShare = {"a share, from 0 to 1", 0, 1};
inline constexpr Quantity kPart = {"a share, from 0.001 to 1", 0.001, 1};

/// One number of a file and its place in a struct.
template <typename Struct> struct NumberField {
  const char *key;
  double Struct::*member;
  const Quantity &quantity;
};

inline constexpr NumberField<Machine::Device> kFlops[] = {
    {"f64", &Machine::Device::flops64, kRate},
    {"f32", &Machine::Device::flops32, kRate},
    {"f16", &Machine::Device::flops16, kRate},
};
inline constexpr NumberField<Machine::Device> kDevice[] = {
    {"vector_flops", &Machine::Device::vectorFlops, kRate},
    {"memory_bandwidth", &Machine::Device::memoryBandwidth, kBandwidth},
    {"launch_latency", &Machine::Device::launchLatency, kLatency},
    {"compute_share", &Machine::Device::computeShare, kShare},
};
inline constexpr NumberField<Machine::Efficiency> kEfficiency[] = {
    {"contraction", &Machine::Efficiency::contraction, kPart},
    {"vector", &Machine::Efficiency::vector, kPart},
    {"memory", &Machine::Efficiency::memory, kPart},
    {"link", &Machine::Efficiency::link, kPart},
};
inline constexpr NumberField<Machine::Level> kLevel[] = {
    {"latency", &Machine::Level::latency, kLatency},
    {"bandwidth", &Machine::Level::bandwidth, kBandwidth},
};
inline constexpr NumberField<Machine::Storage> kStorage[] = {
    {"latency", &Machine::Storage::latency, kLatency},
    {"bandwidth", &Machine::Storage::bandwidth, kBandwidth},
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MACHINE_MACHINEFIELDS_H
