#ifndef DSC_RUNTIME_DEVICE_HOST_CPUFEATURES_H
#define DSC_RUNTIME_DEVICE_HOST_CPUFEATURES_H

#include <string>
#include <string_view>
#include <vector>

namespace dsc::runtime {

/// The instruction-set features among `required` (LLVM's spelling, as in
/// "+avx2,+fma,-sse4a") that a CPU with these /proc/cpuinfo flags lacks.
/// Features that only tune code and never emit an instruction are passed over.
std::vector<std::string> missingCpuFeatures(std::string_view required,
                                            std::string_view cpuinfoFlags);

/// The flags line of this machine's /proc/cpuinfo; empty if it has none.
std::string readCpuFlags();

/// Architecture of this machine as the first part of a target triple.
const char *hostArchitecture();

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DEVICE_HOST_CPUFEATURES_H
