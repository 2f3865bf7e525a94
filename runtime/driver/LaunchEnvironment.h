#ifndef DSC_RUNTIME_DRIVER_LAUNCHENVIRONMENT_H
#define DSC_RUNTIME_DRIVER_LAUNCHENVIRONMENT_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace dsc::runtime {

/// Which rank this process is, by the variables of the program that started it:
/// torchrun, mpirun of OpenMPI or MPICH, anything that speaks PMI or PMIx, or
/// Slurm's srun.
struct LaunchEnvironment {
  uint32_t rank = 0, ranks = 1;
  std::string source; ///< `WORLD_SIZE=2`, which says how many there are.
  std::string job;    ///< Tells this job's ranks from others of the host.
};

/// The value of an environment variable, or null, as std::getenv gives it.
using GetVariable = std::function<const char *(const char *)>;

/// Reads the variables. Nothing where nobody started several ranks: a launcher
/// that started one process only left it to start others. `ranks` is what the
/// command line says, if it does; variables and command line that contradict
/// each other, or ranks on several hosts, are an error that names both.
Result<std::optional<LaunchEnvironment>>
readLaunchEnvironment(const GetVariable &get, std::optional<uint64_t> ranks);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_LAUNCHENVIRONMENT_H
