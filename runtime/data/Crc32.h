#ifndef DSC_RUNTIME_DATA_CRC32_H
#define DSC_RUNTIME_DATA_CRC32_H

#include <cstddef>
#include <cstdint>
#include <libdeflate.h>
#include <span>
#include <zlib.h>

namespace dsc::runtime {

/// The CRC-32 of zlib, gzip and Python's zlib.crc32, continued from `before`.
/// By libdeflate, which takes it with carry-less products where there are such
/// instructions: zlib takes longer than a fast disk.
inline uint32_t crc32Of(std::span<const std::byte> bytes, uint32_t before = 0) {
  // Of a null pointer it knows nothing but the first sum.
  return bytes.empty() ? before
                       : libdeflate_crc32(before, bytes.data(), bytes.size());
}

/// That of two byte strings one after the other, from that of each.
inline uint32_t joinCrc32(uint32_t first, uint32_t second,
                          uint64_t secondBytes) {
  return crc32_combine(first, second, z_off_t(secondBytes));
}

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_CRC32_H
