#include "codegen/host/Machine.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mlir;
using namespace dsc;

namespace {

const llvm::Target *lookupTarget(const llvm::Triple &triple,
                                 std::string &error) {
  static bool initialized = [] {
    return !llvm::InitializeNativeTarget() &&
           !llvm::InitializeNativeTargetAsmPrinter();
  }();
  if (!initialized) {
    error = "this LLVM cannot generate code for the machine that it runs on";
    return nullptr;
  }
  return llvm::TargetRegistry::lookupTarget(triple, error);
}

std::string joinFeatures(std::vector<std::string> features) {
  llvm::sort(features);
  return llvm::join(features, ",");
}

/// What this machine has, whatever its CPU is called: a hypervisor may hide
/// features that the CPU's name promises.
std::string getNativeFeatures() {
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.second)
      features.push_back("+" + feature.first().str());
  return joinFeatures(std::move(features));
}

std::string getFeaturesOf(const llvm::Triple &triple, StringRef cpu) {
  llvm::SmallVector<StringRef> names;
  if (triple.isX86())
    llvm::X86::getFeaturesForCPU(cpu, names, /*NeedPlus=*/true);
  return joinFeatures(std::vector<std::string>(names.begin(), names.end()));
}

} // namespace

FailureOr<HostMachine> dsc::getHostMachine(const HostOptions &options,
                                           std::string &error) {
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  const llvm::Target *target = lookupTarget(triple, error);
  if (!target)
    return failure();
  HostMachine machine;
  machine.triple = triple.str();
  machine.cpu = options.cpu;
  bool native =
      options.cpu == "native" || (options.cpu.empty() && options.native);
  if (native)
    machine.cpu = llvm::sys::getHostCPUName().str();
  else if (options.cpu.empty())
    machine.cpu =
        triple.getArch() == llvm::Triple::x86_64 ? "x86-64-v3" : "generic";
  std::unique_ptr<llvm::MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!info->isCPUStringValid(machine.cpu)) {
    error = "unknown CPU '" + machine.cpu + "' for " + machine.triple +
            "; clang-22 --print-supported-cpus lists them, 'native' is this "
            "machine's";
    return failure();
  }
  machine.features =
      native ? getNativeFeatures() : getFeaturesOf(triple, machine.cpu);
  return machine;
}

std::unique_ptr<llvm::TargetMachine>
dsc::createTargetMachine(const HostOptions &options, std::string &error) {
  FailureOr<HostMachine> machine = getHostMachine(options, error);
  if (failed(machine))
    return nullptr;
  llvm::Triple triple(machine->triple);
  const llvm::Target *target = lookupTarget(triple, error);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, machine->cpu, machine->features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}
