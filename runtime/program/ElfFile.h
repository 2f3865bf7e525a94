#ifndef DSC_RUNTIME_PROGRAM_ELFFILE_H
#define DSC_RUNTIME_PROGRAM_ELFFILE_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <span>

namespace dsc::runtime {

/// Checks what the system's loader would answer with a crash (a truncated file
/// is mapped beyond its end) or with a sentence that does not help.
/// The message continues a sentence that begins with the file's name.
Status checkElf(std::span<const std::byte> bytes);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_ELFFILE_H
