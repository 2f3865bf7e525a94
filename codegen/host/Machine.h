#ifndef DSC_CODEGEN_HOST_MACHINE_H
#define DSC_CODEGEN_HOST_MACHINE_H

#include "codegen/host/HostTarget.h"

#include "llvm/Target/TargetMachine.h"

namespace dsc {

/// LLVM's code generator for the options; null and a sentence in `error` if
/// there is none.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const HostOptions &options, std::string &error);

} // namespace dsc

#endif // DSC_CODEGEN_HOST_MACHINE_H
