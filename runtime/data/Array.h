#ifndef DSC_RUNTIME_DATA_ARRAY_H
#define DSC_RUNTIME_DATA_ARRAY_H

#include "runtime/base/ElementType.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace dsc::runtime {

class MappedFile;

/// A dense row-major array in a file, for reading.
struct Array {
  std::string location;            ///< `images.npz:x`, for messages.
  std::optional<ElementType> type; ///< Absent if it is none that we compute in.
  std::string typeName;            ///< As numpy calls it, or as the file does.
  Shape shape;
  std::span<const std::byte> bytes;  ///< Checked against type and shape.
  std::shared_ptr<const void> owner; ///< Keeps `bytes` valid.
  /// Where `bytes` lie; null if they are in memory.
  std::shared_ptr<const MappedFile> file;
};

/// A location as readArray takes it, split after the extension, so that a path
/// may hold colons.
struct ArrayLocation {
  std::string path;
  std::string key; ///< Empty if there is none.
};
ArrayLocation splitLocation(const std::string &location);

/// Reads `FILE.npy`, `FILE.npz:KEY` or `FILE.safetensors:KEY`. The key may be
/// left out where the file holds one array. Mapped, not copied, unless it is
/// compressed.
Result<Array> readArray(const std::string &location);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_ARRAY_H
