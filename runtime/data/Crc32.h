#ifndef DSC_RUNTIME_DATA_CRC32_H
#define DSC_RUNTIME_DATA_CRC32_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <zlib.h>

namespace dsc::runtime {

/// The CRC-32 of zlib, gzip and Python's zlib.crc32, continued from `before`.
inline uint32_t crc32Of(std::span<const std::byte> bytes, uint32_t before = 0) {
  return crc32_z(before, reinterpret_cast<const Bytef *>(bytes.data()),
                 bytes.size());
}

/// That of two byte strings one after the other, from that of each.
inline uint32_t joinCrc32(uint32_t first, uint32_t second,
                          uint64_t secondBytes) {
  return crc32_combine(first, second, z_off_t(secondBytes));
}

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_CRC32_H
