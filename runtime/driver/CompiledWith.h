#ifndef DSC_RUNTIME_DRIVER_COMPILEDWITH_H
#define DSC_RUNTIME_DRIVER_COMPILEDWITH_H

#include "runtime/driver/Options.h"
#include "runtime/program/Module.h"

namespace dsc::runtime {

/// Holds what the configuration asks of the compiler against what the module
/// was compiled with. An error where results would be others; what chooses
/// only where the state lies becomes a sentence in `notices`.
Status checkCompiled(const Module &module, const RunOptions &options,
                     std::vector<std::string> &notices);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DRIVER_COMPILEDWITH_H
