#ifndef DSC_RUNTIME_PROGRAM_WEIGHTS_H
#define DSC_RUNTIME_PROGRAM_WEIGHTS_H

#include "runtime/program/Module.h"

#include <cstddef>
#include <functional>
#include <span>

namespace dsc::runtime {

/// The memory of a parameter's state, to be filled or read whole.
using ParameterMemory =
    std::function<std::span<std::byte>(const Manifest::Parameter &)>;

/// Fills the parameters of a module: from `weightsPath` if that is not empty,
/// else from the file that the manifest names, else from the places in the
/// model file that it names. Floating-point types are converted to the
/// parameter's, all else must fit exactly. All missing names are listed in one
/// message.
Status loadParameters(const Module &module, const std::string &weightsPath,
                      const ParameterMemory &memory);

/// Writes the parameters of a module by name to a safetensors file, aside and
/// renamed.
Status saveParameters(const Module &module, const std::string &path,
                      const ParameterMemory &memory);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_WEIGHTS_H
