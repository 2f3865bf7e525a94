#ifndef DSC_RUNTIME_DRIVER_EXPORT_H
#define DSC_RUNTIME_DRIVER_EXPORT_H

#include "runtime/base/Status.h"

#include <string>

namespace dsc::runtime {

/// Runs `dsc export MODULE --weights=WEIGHTS -o OUTPUT` with the dsc beside
/// this program, or the one in PATH, and waits for it. dsc prints its own
/// messages.
Status exportModel(const std::string &module, const std::string &weights,
                   const std::string &output);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_EXPORT_H
