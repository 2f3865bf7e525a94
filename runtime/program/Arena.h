#ifndef DSC_RUNTIME_PROGRAM_ARENA_H
#define DSC_RUNTIME_PROGRAM_ARENA_H

#include "runtime/base/Status.h"
#include "runtime/program/OffloadFile.h"

#include <cstddef>
#include <optional>

namespace dsc::runtime {

/// The memory of a session, one range of addresses: a block, zeroed, aligned to
/// pages, in huge pages where the system grants them, and touched, so that no
/// step pays for a page fault; and behind it, from an offset on, offloaded
/// bytes, zeroed as well, which are memory like that or lie in a file.
class Arena {
public:
  /// Refuses a size that this machine does not have available, before it
  /// allocates anything. What is offloaded lies in a file in `folder` unless
  /// that is empty, and begins at a multiple of a page.
  static Result<Arena> allocate(uint64_t bytes, uint64_t offloadOffset,
                                uint64_t offloadBytes,
                                const std::string &folder);
  static Result<Arena> allocate(uint64_t bytes) {
    return allocate(bytes, bytes, 0, "");
  }

  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) = delete;
  ~Arena();

  std::byte *data() const { return base; }
  /// Of the block.
  uint64_t bytes() const { return size; }

  /// Copies between the block and what is offloaded, by one thread at a time.
  Status copy(void *dst, const void *src, uint64_t bytes);

  /// Takes the pages of the file out of memory that were read or written
  /// through their addresses.
  void releaseOffloaded();

private:
  Arena(std::byte *base, uint64_t size, uint64_t mapped, uint64_t offloadOffset,
        std::optional<OffloadFile> file);
  /// The offset in the file that an address stands for, if it does.
  std::optional<uint64_t> fileOffset(const void *address) const;

  std::byte *base;
  uint64_t size, mapped, offloadOffset;
  std::optional<OffloadFile> file;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_ARENA_H
