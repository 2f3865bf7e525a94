#ifndef DSC_RUNTIME_PROGRAM_ARENA_H
#define DSC_RUNTIME_PROGRAM_ARENA_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>

namespace dsc::runtime {

/// The one block of memory of a session: zeroed, aligned to pages, in huge
/// pages where the system grants them, and touched, so that no step pays for a
/// page fault.
class Arena {
public:
  /// Refuses a size that this machine does not have available, before it
  /// allocates anything.
  static Result<Arena> allocate(uint64_t bytes);

  Arena(Arena &&other) noexcept;
  Arena &operator=(Arena &&other) = delete;
  ~Arena();

  std::byte *data() const { return base; }
  uint64_t bytes() const { return size; }

private:
  Arena(std::byte *base, uint64_t size) : base(base), size(size) {}

  std::byte *base;
  uint64_t size;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_ARENA_H
