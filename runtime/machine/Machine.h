#ifndef DSC_RUNTIME_MACHINE_MACHINE_H
#define DSC_RUNTIME_MACHINE_MACHINE_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <vector>

namespace dsc::runtime {

/// What a machine that ranks run on can do, as a file of --topology says it or
/// `dsrun --calibrate` measures it (docs/machines.md). Units are SI: seconds,
/// bytes, bytes/s, FLOP/s. Figures are what a vendor publishes; Efficiency says
/// how much of them programs reach.
struct Machine {
  /// One rank's processor and memory.
  struct Device {
    /// Of contractions, by the bits of an operand's element. The 16-bit figure
    /// is that of f16 and bf16 alike.
    double flops64 = 0, flops32 = 0, flops16 = 0;
    double vectorFlops = 0; ///< Of all other operations, in f32.
    double memoryBandwidth = 0;
    uint64_t memoryBytes = 0;
    /// The last cache, where memory has one that holds what operations hand to
    /// one another; 0: none is known.
    uint64_t cacheBytes = 0;
    double cacheBandwidth = 0;
    double launchLatency = 0; ///< From one kernel's end to the next's begin.
    /// Of the time of an exchange, how much is taken from computation beside
    /// it: 0 an engine of its own, 1 the same cores.
    double computeShare = 0;
    /// Whether ranks share the device, as processes of a host do: each of N has
    /// an N-th of the figures of this struct.
    bool isShared = false;
  };

  /// The part of a figure that is reached, above 0 and up to 1. Measured
  /// figures are reached: 1.
  struct Efficiency {
    double contraction = 1, vector = 1, memory = 1, link = 1;
  };

  /// What up to `ranks` ranks talk over.
  struct Level {
    std::string name;
    uint64_t ranks = 0;
    double latency = 0;   ///< Of one exchange.
    double bandwidth = 0; ///< That one rank receives with while all do.
  };

  /// What state is offloaded to.
  struct Storage {
    double latency = 0, bandwidth = 0; ///< Of one rank while all do.
  };

  std::string name;
  std::string source; ///< Where the figures come from.
  Device device;
  Efficiency efficiency;
  std::vector<Level> levels; ///< At least one; their ranks ascend.
  Storage storage;

  /// FILE:LINE:COLUMN (POINTER) of the last level's ranks, for messages; empty
  /// if no file was read.
  std::string ranksPlace;

  /// Refuses more ranks than the last level joins.
  Status checkRanks(uint64_t ranks) const;
};

/// Reads a file. All that is wrong in it is told at once, a line each.
Result<Machine> readMachine(const std::string &path);

/// The same for text that is there already. `name` stands for it in messages.
Result<Machine> parseMachine(std::string text, const std::string &name);

/// The text of a file that reads as `machine` again.
std::string printMachine(const Machine &machine);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MACHINE_MACHINE_H
