#ifndef DSC_RUNTIME_DATA_NPY_H
#define DSC_RUNTIME_DATA_NPY_H

#include "runtime/data/Array.h"

namespace dsc::runtime {

/// Parses the bytes of a .npy file (format versions 1 to 3). `location` names
/// them in messages, `owner` keeps them.
Result<Array> parseNpy(std::span<const std::byte> bytes,
                       const std::string &location,
                       std::shared_ptr<const void> owner);

/// The header of a .npy file for this type and shape. All headers of one rank
/// have the same length as long as each size has at most 20 digits, so that the
/// first dim may be filled in when the number of rows is known.
std::string npyHeader(ElementType type, const Shape &shape);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_NPY_H
