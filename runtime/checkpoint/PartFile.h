#ifndef DSC_RUNTIME_CHECKPOINT_PARTFILE_H
#define DSC_RUNTIME_CHECKPOINT_PARTFILE_H

#include "runtime/checkpoint/Shard.h"

namespace dsc::runtime {

/// What the manifest says of a part. Sent between ranks as bytes.
struct PartRecord {
  uint64_t bytes, headerBytes;
  uint32_t crc, headerCrc;
};
struct PieceRecord {
  uint64_t begin, end; ///< Elements.
  uint64_t offset;     ///< Bytes from the start of the file.
  uint32_t state, crc;
};
struct PartRecords {
  PartRecord part;
  std::vector<PieceRecord> pieces;
};

/// Writes a part and waits until it is on the disk. Checksums are taken by a
/// thread of their own meanwhile. The snapshot is aligned to pages.
Result<PartRecords> writePart(const std::string &path, const Shard &shard,
                              const std::byte *snapshot);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHECKPOINT_PARTFILE_H
