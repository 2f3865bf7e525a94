#include "codegen/host/HostTarget.h"
#include "codegen/host/TemporaryFile.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace dsc;

namespace {

/// Errors name `target`, the file that the user has asked for.
LogicalResult writeObject(ModuleOp module, const HostOptions &options,
                          StringRef path, StringRef target) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return module.emitError("cannot write ")
           << target << ": " << error.message();
  if (failed(emitObject(module, options, os)))
    return failure();
  os.close();
  if (os.has_error()) {
    error = os.error();
    os.clear_error();
    return module.emitError("cannot write ")
           << target << ": " << error.message();
  }
  return success();
}

/// Runs the linker, whose own messages go to `log`.
LogicalResult runLinker(ModuleOp module, StringRef object, StringRef output,
                        StringRef soname, StringRef log) {
  llvm::ErrorOr<std::string> linker = llvm::sys::findProgramByName("ld.lld");
  if (!linker)
    linker = llvm::sys::findProgramByName("ld.lld", {DSC_LLVM_TOOLS_DIR});
  if (!linker)
    return module.emitError("cannot find the linker ld.lld; install lld-22 or "
                            "put it on the PATH");
  StringRef arguments[] = {*linker,
                           "-shared",
                           "--gc-sections",
                           "--hash-style=gnu",
                           "--build-id=sha1",
                           "-z",
                           "relro",
                           "-z",
                           "noexecstack",
                           "-soname",
                           soname,
                           object,
                           "-o",
                           output};
  std::string error;
  int code = llvm::sys::ExecuteAndWait(*linker, arguments, std::nullopt,
                                       {StringRef(), log, log}, 0, 0, &error);
  if (code == 0)
    return success();
  if (auto text = llvm::MemoryBuffer::getFile(log))
    error += (*text)->getBuffer().trim();
  return module.emitError("linking failed: ") << error;
}

} // namespace

LogicalResult dsc::linkSharedObject(ModuleOp module, const HostOptions &options,
                                    StringRef path) {
  TemporaryFile object, shared, log;
  std::error_code error = object.createBeside(path, ".o");
  if (!error)
    error = shared.createBeside(path, ".so");
  if (!error)
    error = log.createBeside(path, ".log");
  if (error)
    return module.emitError("cannot write ") << path << ": " << error.message();
  if (failed(writeObject(module, options, object.getPath(), path)) ||
      failed(runLinker(module, object.getPath(), shared.getPath(),
                       llvm::sys::path::filename(path), log.getPath())))
    return failure();
  if ((error = shared.renameTo(path)))
    return module.emitError("cannot write ") << path << ": " << error.message();
  return success();
}
