#ifndef DSC_CODEGEN_HOST_HOSTTARGET_H
#define DSC_CODEGEN_HOST_HOSTTARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <map>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace dsc {

/// What the manifest says and the module itself does not know.
struct ManifestOptions {
  /// File name of the model.
  std::string model;
  /// File name of the weights beside the module; empty: none.
  std::string weightsFile;
  std::string optimizer;
  std::string loss;
  std::string precision = "f32";
  int64_t zeroStage = 0;
  int64_t maxWorld = 1024;
  /// Options as the user gave them, by name.
  std::map<std::string, std::string> options;
};

/// The CPU target.
struct HostOptions {
  /// CPU by LLVM's name. Empty: a portable level that machines of the last ten
  /// years have (x86-64-v3 on x86-64), or this machine if `native`.
  std::string cpu;
  bool native = false;
  ManifestOptions manifest;
};

/// What the options come to on this machine.
struct HostMachine {
  std::string triple;
  std::string cpu;
  /// All that the code generator may use, as "+avx,+avx2,...", sorted.
  std::string features;
};

/// Fails with a sentence in `error` if LLVM does not know the CPU.
mlir::FailureOr<HostMachine> getHostMachine(const HostOptions &options,
                                            std::string &error);

/// Appends the passes from exec form to the LLVM dialect.
void buildHostPipeline(mlir::OpPassManager &passes, const HostOptions &options);

/// Upstream dialects, interfaces and translations that code generation uses.
void registerHostDialects(mlir::DialectRegistry &registry);

/// Registers `dsc-codegen` for dsc-opt.
void registerHostPipeline();

/// Each of these takes a module in the LLVM dialect, optimises it for the
/// target and writes it. The same module gives the same bytes. Errors are
/// reported on the module.
mlir::LogicalResult emitLLVM(mlir::ModuleOp module, const HostOptions &options,
                             llvm::raw_ostream &os);
mlir::LogicalResult emitAssembly(mlir::ModuleOp module,
                                 const HostOptions &options,
                                 llvm::raw_ostream &os);
mlir::LogicalResult emitObject(mlir::ModuleOp module,
                               const HostOptions &options,
                               llvm::raw_ostream &os);

/// Writes an ELF shared object to `path`, aside first and then renamed, so that
/// `path` is either what it was or the whole new module.
mlir::LogicalResult linkSharedObject(mlir::ModuleOp module,
                                     const HostOptions &options,
                                     llvm::StringRef path);

} // namespace dsc

#endif // DSC_CODEGEN_HOST_HOSTTARGET_H
