#include "runtime/data/Npz.h"
#include "runtime/data/Npy.h"

#include <cstring>
#include <limits>
#include <string_view>
#include <zlib.h>

using namespace dsc::runtime;

namespace {

/// Reads little-endian numbers from a zip file, refusing to leave it.
class ZipBytes {
public:
  explicit ZipBytes(std::span<const std::byte> bytes) : bytes(bytes) {}

  bool has(uint64_t offset, uint64_t length) const {
    return offset <= bytes.size() && length <= bytes.size() - offset;
  }
  template <typename T> uint64_t read(uint64_t offset) const {
    T value = 0;
    if (has(offset, sizeof(T)))
      std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }
  uint64_t u16(uint64_t offset) const { return read<uint16_t>(offset); }
  uint64_t u32(uint64_t offset) const { return read<uint32_t>(offset); }
  uint64_t u64(uint64_t offset) const { return read<uint64_t>(offset); }

  std::string_view text(uint64_t offset, uint64_t length) const {
    if (!has(offset, length))
      return {};
    return {reinterpret_cast<const char *>(bytes.data()) + offset, length};
  }

  std::span<const std::byte> bytes;
};

struct Member {
  std::string name;
  uint64_t method, crc, packedSize, size, localHeader;
};

/// The member list of the central directory, sizes widened by the zip64 extra
/// field where it is present.
Result<std::vector<Member>> readDirectory(const ZipBytes &zip) {
  const Status broken =
      inputError("not a complete .npz file; write it with numpy.savez");
  constexpr uint64_t kEndSize = 22, kMaxComment = 0xffff;
  if (zip.bytes.size() < kEndSize)
    return broken;
  // The end record lies before a comment of unknown length.
  uint64_t last = zip.bytes.size() - kEndSize, end = last + 1;
  uint64_t lowest = last > kMaxComment ? last - kMaxComment : 0;
  for (uint64_t at = last + 1; at-- > lowest;)
    if (zip.u32(at) == 0x06054b50) {
      end = at;
      break;
    }
  if (end > last)
    return broken;
  uint64_t count = zip.u16(end + 10), at = zip.u32(end + 16);
  if (count == 0xffff || at == 0xffffffff) {
    uint64_t end64 = end >= 20 ? zip.u64(end - 20 + 8) : 0;
    if (zip.u32(end64) != 0x06064b50)
      return broken;
    count = zip.u64(end64 + 32);
    at = zip.u64(end64 + 48);
  }

  std::vector<Member> members;
  for (uint64_t i = 0; i < count; ++i) {
    if (!zip.has(at, 46) || zip.u32(at) != 0x02014b50)
      return broken;
    uint64_t nameSize = zip.u16(at + 28), extraSize = zip.u16(at + 30);
    if (!zip.has(at + 46, nameSize + extraSize))
      return broken;
    Member member{std::string(zip.text(at + 46, nameSize)),
                  zip.u16(at + 10),
                  zip.u32(at + 16),
                  zip.u32(at + 20),
                  zip.u32(at + 24),
                  zip.u32(at + 42)};
    uint64_t extra = at + 46 + nameSize, extraEnd = extra + extraSize;
    while (extra + 4 <= extraEnd) {
      uint64_t field = extra + 4;
      if (zip.u16(extra) == 1) // zip64: only what did not fit, in this order
        for (uint64_t *value :
             {&member.size, &member.packedSize, &member.localHeader})
          if (*value == 0xffffffff) {
            *value = zip.u64(field);
            field += 8;
          }
      extra += 4 + zip.u16(extra + 2);
    }
    members.push_back(std::move(member));
    at += 46 + nameSize + extraSize + zip.u16(at + 32);
  }
  return members;
}

Result<std::shared_ptr<std::vector<std::byte>>>
inflateMember(const Member &member, std::span<const std::byte> packed) {
  // Deflate shrinks by at most 1032; a larger claim is hostile.
  if (member.size / 1032 > packed.size() + 1)
    return inputError("its size in the archive is not plausible");
  auto out = std::make_shared<std::vector<std::byte>>(member.size);
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return internalError("zlib cannot be started");
  constexpr uint64_t kPiece = std::numeric_limits<uInt>::max() / 2;
  uint64_t taken = 0, given = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    uint64_t in = std::min<uint64_t>(kPiece, packed.size() - taken);
    uint64_t room = std::min<uint64_t>(kPiece, out->size() - given);
    stream.next_in = reinterpret_cast<Bytef *>(
        const_cast<std::byte *>(packed.data() + taken));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef *>(out->data() + given);
    stream.avail_out = room;
    code = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    given += room - stream.avail_out;
  }
  inflateEnd(&stream);
  uLong crc = crc32_z(0, reinterpret_cast<const Bytef *>(out->data()), given);
  if (code != Z_STREAM_END || given != member.size || crc != member.crc)
    return inputError("its compressed data is damaged");
  return out;
}

} // namespace

Result<Array> dsc::runtime::readNpz(std::shared_ptr<const MappedFile> file,
                                    const std::string &key) {
  ZipBytes zip(file->bytes());
  Result<std::vector<Member>> members = readDirectory(zip);
  if (!members.ok())
    return members.status().in("'" + file->path() + "'");

  const Member *found = nullptr;
  std::string keys;
  for (const Member &member : *members) {
    std::string name = member.name;
    if (name.ends_with(".npy"))
      name.resize(name.size() - 4);
    keys += (keys.empty() ? "" : ", ") + name;
    if (name == key || (key.empty() && members->size() == 1))
      found = &member;
  }
  if (!found && key.empty())
    return inputError("'", file->path(), "' holds several arrays (", keys,
                      "); name one as ", file->path(), ":KEY");
  if (!found)
    return inputError("'", file->path(), "' has no array '", key, "'; it has ",
                      keys.empty() ? "none" : keys);

  std::string location = file->path() + ":" + key;
  uint64_t local = found->localHeader;
  if (!zip.has(local, 30) || zip.u32(local) != 0x04034b50)
    return inputError("'", location, "': the archive is damaged");
  uint64_t data = local + 30 + zip.u16(local + 26) + zip.u16(local + 28);
  if (!zip.has(data, found->packedSize))
    return inputError("'", location, "': the archive is truncated");
  std::span<const std::byte> packed =
      file->bytes().subspan(data, found->packedSize);
  if (found->method == 0) {
    DSC_ASSIGN(Array array, parseNpy(packed, location, file));
    array.file = file;
    return array;
  }
  if (found->method != 8)
    return inputError("'", location, "': unknown compression; write it with ",
                      "numpy.savez or numpy.savez_compressed");
  auto inflated = inflateMember(*found, packed);
  if (!inflated.ok())
    return inflated.status().in("'" + location + "'");
  return parseNpy(**inflated, location, *inflated);
}
