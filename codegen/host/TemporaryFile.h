#ifndef DSC_CODEGEN_HOST_TEMPORARYFILE_H
#define DSC_CODEGEN_HOST_TEMPORARYFILE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include <system_error>

namespace dsc {

/// A file that is removed at the end, or on a signal, unless it was renamed.
class TemporaryFile {
public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  ~TemporaryFile();

  /// Makes an empty file beside `target`, so that renaming it there is atomic.
  std::error_code createBeside(llvm::StringRef target, llvm::StringRef suffix);
  std::error_code renameTo(llvm::StringRef target);
  llvm::StringRef getPath() const { return path; }

private:
  llvm::SmallString<128> path;
};

} // namespace dsc

#endif // DSC_CODEGEN_HOST_TEMPORARYFILE_H
