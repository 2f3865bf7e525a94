#ifndef DSC_COMPILER_OUTPUTFILE_H
#define DSC_COMPILER_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace dsc {

/// Writes a file that takes the name `path` only when it is whole: bytes go to
/// a temporary file beside it, which replaces `path` at the end. A full disk,
/// a folder that does not exist or a false return of `write` leaves `path` as
/// it was. "-" is standard output; devices and pipes are written directly.
/// Prints the reason for a failure, except when `write` returned false: then
/// `write` has printed it.
bool writeOutputFile(llvm::StringRef path,
                     llvm::function_ref<bool(llvm::raw_ostream &)> write);

} // namespace dsc

#endif // DSC_COMPILER_OUTPUTFILE_H
