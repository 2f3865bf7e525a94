#ifndef DSC_RUNTIME_PROGRAM_WEIGHTS_H
#define DSC_RUNTIME_PROGRAM_WEIGHTS_H

#include "runtime/program/Module.h"

#include <cstddef>
#include <functional>
#include <span>

namespace dsc::runtime {

/// Takes the whole initial value of a parameter.
using ParameterSink = std::function<void(const Manifest::Parameter &,
                                         std::span<const std::byte>)>;

/// The whole value of a parameter, valid until the next call.
using ParameterReader = std::function<Result<std::span<const std::byte>>(
    const Manifest::Parameter &)>;

/// Fills the parameters of a module: from `weightsPath`, a safetensors file, a
/// checkpoint or a folder of checkpoints, if that is not empty,
/// else from the file that the manifest names, else from the places in the
/// model file that it names. Floating-point types are converted to the
/// parameter's, all else must fit exactly. All missing names are listed in one
/// message.
Status loadParameters(const Module &module, const std::string &weightsPath,
                      const ParameterSink &sink);

/// Writes the parameters of a module by name to a safetensors file, aside and
/// renamed.
Status saveParameters(const Module &module, const std::string &path,
                      const ParameterReader &read);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_WEIGHTS_H
