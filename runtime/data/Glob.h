#ifndef DSC_RUNTIME_DATA_GLOB_H
#define DSC_RUNTIME_DATA_GLOB_H

#include "runtime/base/Status.h"

#include <string>
#include <vector>

namespace dsc::runtime {

/// The files that a pattern with *, ? or [...] matches, sorted by the bytes of
/// their names; at least one, else an error. A name of an existing file, or
/// without these characters, stands for itself.
Result<std::vector<std::string>> expandPattern(const std::string &pattern);

/// The same for the locations of readArray: each file is followed by the KEY of
/// `PATTERN.npz:KEY`.
Result<std::vector<std::string>> expandLocation(const std::string &location);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_GLOB_H
