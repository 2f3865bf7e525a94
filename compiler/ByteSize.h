// Numbers of bytes, as people write them.

#ifndef DSC_COMPILER_BYTESIZE_H
#define DSC_COMPILER_BYTESIZE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace dsc {

/// Reads "123", "8G" or "1.5GiB": a number that is not negative, and at most
/// one of k, M, G, T (powers of 1000, with or without B) or KiB, MiB, GiB, TiB
/// (powers of 1024), in any case. Rounds down. Nothing if the text is something
/// else, or more than 2^63 - 1 bytes.
std::optional<uint64_t> parseByteSize(llvm::StringRef text);

} // namespace dsc

#endif // DSC_COMPILER_BYTESIZE_H
