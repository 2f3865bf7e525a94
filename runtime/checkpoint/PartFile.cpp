#include "runtime/checkpoint/PartFile.h"
#include "runtime/data/Crc32.h"
#include "runtime/data/DurableFile.h"

#include <future>

using namespace dsc::runtime;

namespace {

PartRecords summarise(const Shard &shard, const std::byte *snapshot) {
  const std::string &header = shard.header();
  uint32_t crc = crc32Of(std::as_bytes(std::span(header)));
  PartRecords records{{header.size() + shard.bytes(), header.size(), crc, crc},
                      {}};
  for (const Shard::Piece &piece : shard.pieces()) {
    uint64_t bytes = piece.source.size();
    uint32_t own = crc32Of({snapshot + piece.offset, bytes});
    records.pieces.push_back({piece.begin, piece.end,
                              header.size() + piece.offset, piece.state, own});
    records.part.crc = joinCrc32(records.part.crc, own, bytes);
  }
  return records;
}

} // namespace

Result<PartRecords> dsc::runtime::writePart(const std::string &path,
                                            const Shard &shard,
                                            const std::byte *snapshot) {
  std::future<PartRecords> summary = std::async(
      std::launch::async, [&] { return summarise(shard, snapshot); });
  DSC_ASSIGN(DurableFile file, DurableFile::create(path));
  DSC_RETURN_IF_ERROR(file.write(shard.header().data(), shard.header().size()));
  DSC_RETURN_IF_ERROR(file.writeDirect(snapshot, shard.bytes()));
  DSC_RETURN_IF_ERROR(file.sync());
  return summary.get();
}
