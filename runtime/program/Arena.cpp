#include "runtime/program/Arena.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <string>
#include <sys/mman.h>

using namespace dsc::runtime;

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMebibyte = uint64_t(1) << 20;

/// What the system can hand out without swapping, by its own estimate.
uint64_t availableBytes() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (uint64_t kibibytes; file >> key >> kibibytes; std::getline(file, unit))
    if (key == "MemAvailable:")
      return kibibytes * 1024;
  return std::numeric_limits<uint64_t>::max();
}

} // namespace

Status Arena::checkAvailable(uint64_t bytes, uint64_t ranks) {
  uint64_t available = availableBytes(), together;
  if (!__builtin_mul_overflow(bytes, ranks, &together) && together <= available)
    return {};
  return inputError("the run needs ", bytes / kMebibyte, " MiB of memory",
                    ranks > 1 ? concat(" on each of ", ranks, " ranks") : "",
                    " and this machine has ", available / kMebibyte,
                    " MiB available; compile with a smaller batch");
}

Result<Arena> Arena::allocate(uint64_t bytes) {
  DSC_RETURN_IF_ERROR(checkAvailable(bytes, 1));
  uint64_t mapped = std::max<uint64_t>(bytes, 1);
  void *base = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return inputError("cannot allocate ", bytes / kMebibyte,
                      " MiB: ", errnoText(errno));
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
