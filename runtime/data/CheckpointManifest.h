#ifndef DSC_RUNTIME_DATA_CHECKPOINTMANIFEST_H
#define DSC_RUNTIME_DATA_CHECKPOINTMANIFEST_H

#include "runtime/base/ElementType.h"
#include "runtime/data/DataPosition.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsc::runtime {

/// The manifest.json of a checkpoint set (docs/checkpoint-format.md).
struct CheckpointManifest {
  /// What one rank wrote.
  struct File {
    std::string name;
    uint64_t bytes;
    uint32_t crc;
    uint64_t headerBytes; ///< The 8 bytes of its length included.
    uint32_t headerCrc;
  };

  /// Elements [begin, end) of a flattened tensor.
  struct Piece {
    uint32_t file;   ///< Index in `files`.
    uint64_t offset; ///< Bytes from the start of the file.
    uint64_t begin, end;
    uint32_t crc;
  };

  struct Tensor {
    std::string name;
    std::string stateClass; ///< parameter, optimizer, scalar.
    std::string kind;       ///< Of a scalar; else empty.
    ElementType type;
    Shape shape;
    std::vector<Piece> pieces; ///< In the order of the tensor.

    uint64_t elements() const;
  };

  std::string writerVersion;
  std::string model; ///< Model hash.
  uint64_t step = 0;
  std::optional<uint64_t> seed;
  DataPosition position;
  uint32_t ranks = 1, stage = 0;
  std::vector<File> files;
  std::vector<Tensor> tensors;

  /// Null if there is none of this name.
  const Tensor *find(std::string_view name) const;
};

/// Name of the part that a rank writes.
std::string checkpointPartName(uint32_t rank, uint32_t ranks);

/// The text of manifest.json, checksum and all.
std::string printCheckpointManifest(const CheckpointManifest &manifest);

/// Reads a manifest.json after checking its checksum. What it returns is sound:
/// every piece lies in its file, the pieces of a tensor cover it, and the
/// header and the pieces of a file cover that. An error names the place, as in
/// `tensors[3].pieces[0].end: ...`.
Result<CheckpointManifest> parseCheckpointManifest(std::string_view text);

/// The model hash of parameters given as lines `NAME TYPE SHAPE`, in any order.
std::string checkpointModelHash(std::vector<std::string> parameters);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_CHECKPOINTMANIFEST_H
