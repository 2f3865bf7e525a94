#ifndef DSC_RUNTIME_MACHINE_WRITEMACHINE_H
#define DSC_RUNTIME_MACHINE_WRITEMACHINE_H

#include "runtime/machine/Machine.h"

namespace dsc::runtime {

/// Writes the file whole or not at all. Refuses figures that no reader would
/// take, such as a bandwidth of 0.
Status writeMachine(const Machine &machine, const std::string &path);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_MACHINE_WRITEMACHINE_H
