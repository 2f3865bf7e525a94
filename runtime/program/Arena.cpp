#include "runtime/program/Arena.h"
#include "runtime/program/AvailableMemory.h"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>

using namespace dsc::runtime;

namespace {

constexpr uint64_t kPage = 4096;

} // namespace

Result<Arena> Arena::allocate(uint64_t bytes) {
  const AvailableMemory available = readAvailableMemory();
  for (const MemoryBound *bound : {&available.machine, &available.process})
    if (bytes > bound->bytes)
      return inputError("the run needs ", mebibytes(bytes), " of memory and ",
                        bound->text, "; compile with a smaller batch");
  uint64_t mapped = std::max<uint64_t>(bytes, 1);
  void *base = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return inputError("cannot allocate ", mebibytes(bytes), ": ",
                      errnoText(errno));
  madvise(base, mapped, MADV_HUGEPAGE); // An optimisation; may be refused.
  auto *data = static_cast<volatile std::byte *>(base);
  for (uint64_t at = 0; at < mapped; at += kPage)
    data[at] = std::byte(0);
  return Arena(static_cast<std::byte *>(base), bytes);
}

Arena::Arena(Arena &&other) noexcept
    : base(std::exchange(other.base, nullptr)), size(other.size) {}

Arena::~Arena() {
  if (base)
    munmap(base, std::max<uint64_t>(size, 1));
}
