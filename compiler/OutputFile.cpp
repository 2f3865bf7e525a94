#include "compiler/OutputFile.h"

#include "codegen/host/TemporaryFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"

using namespace dsc;
using namespace llvm;

static bool fail(StringRef path, std::error_code code) {
  WithColor::error(errs(), "dsc")
      << "cannot write " << path << ": " << code.message() << '\n';
  return false;
}

/// Runs `write` and makes sure that every byte has reached the file.
static bool writeAll(raw_fd_ostream &os, StringRef path,
                     function_ref<bool(raw_ostream &)> write) {
  bool written = write(os);
  os.flush();
  // An error left in the stream would abort the process in its destructor.
  std::error_code code = os.error();
  os.clear_error();
  if (code)
    return fail(path, code);
  return written;
}

static bool isSpecialFile(StringRef path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status) && sys::fs::exists(status) &&
         !sys::fs::is_regular_file(status);
}

bool dsc::writeOutputFile(StringRef path,
                          function_ref<bool(raw_ostream &)> write) {
  if (path == "-")
    return writeAll(outs(), "standard output", write);
  if (isSpecialFile(path)) {
    std::error_code code;
    raw_fd_ostream os(path, code);
    return code ? fail(path, code) : writeAll(os, path, write);
  }
  TemporaryFile file;
  if (std::error_code code = file.createBeside(path, ".tmp"))
    return fail(path, code);
  {
    std::error_code code;
    raw_fd_ostream os(file.getPath(), code);
    if (code)
      return fail(path, code);
    if (!writeAll(os, path, write))
      return false;
  }
  if (std::error_code code = file.renameTo(path))
    return fail(path, code);
  return true;
}
