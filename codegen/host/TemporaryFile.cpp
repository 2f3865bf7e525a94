#include "codegen/host/TemporaryFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

using namespace dsc;
namespace fs = llvm::sys::fs;

TemporaryFile::~TemporaryFile() {
  if (path.empty())
    return;
  fs::remove(path);
  llvm::sys::DontRemoveFileOnSignal(path);
}

std::error_code TemporaryFile::createBeside(llvm::StringRef target,
                                            llvm::StringRef suffix) {
  // LLVM makes a digit of every '%', so the user's path must stay out of this.
  llvm::SmallString<32> random;
  fs::createUniquePath(".%%%%%%%%", random, /*MakeAbsolute=*/false);
  llvm::SmallString<128> name(target);
  name += random;
  name += suffix;
  int file;
  if (std::error_code error =
          fs::openFileForWrite(name, file, fs::CD_CreateNew))
    return error;
  path = name;
  llvm::sys::RemoveFileOnSignal(path);
  return llvm::sys::Process::SafelyCloseFileDescriptor(file);
}

std::error_code TemporaryFile::renameTo(llvm::StringRef target) {
  if (std::error_code error = fs::rename(path, target))
    return error;
  llvm::sys::DontRemoveFileOnSignal(path);
  path.clear();
  return {};
}
