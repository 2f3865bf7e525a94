#ifndef DSC_RUNTIME_CHECKPOINT_SHARD_H
#define DSC_RUNTIME_CHECKPOINT_SHARD_H

#include "runtime/program/Session.h"

#include <string>
#include <vector>

namespace dsc::runtime {

/// What one rank writes into a checkpoint: its range of every saved state, and
/// rank 0 those states that are not cut. The same for every save of a run.
class Shard {
public:
  struct Piece {
    uint32_t state;
    uint64_t begin, end;               ///< Elements of the flattened tensor.
    uint64_t offset;                   ///< Bytes in the data of the part.
    std::span<const std::byte> source; ///< In the session's memory.
    bool isScalar;                     ///< Of the class `scalar`.
  };

  explicit Shard(const Session &session);

  const std::vector<Piece> &pieces() const { return list; }

  /// The part's bytes before its data, a multiple of
  /// DurableFile::kDirectBlock.
  const std::string &header() const { return headerText; }

  /// Bytes of the part's data, and so of a snapshot.
  uint64_t bytes() const { return size; }

  /// Copies the scalars, or all else, as they are now to `snapshot`, which has
  /// bytes() bytes.
  void copyScalars(std::byte *snapshot) const;
  void copyTensors(std::byte *snapshot) const;

private:
  void copy(std::byte *snapshot, bool scalars) const;

  std::vector<Piece> list; ///< In the order of the part.
  std::string headerText;
  uint64_t size = 0;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHECKPOINT_SHARD_H
