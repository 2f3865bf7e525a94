#include "runtime/program/Arena.h"
#include "runtime/program/AvailableMemory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>

using namespace dsc::runtime;

namespace {

constexpr uint64_t kPage = 4096;

/// Asks for huge pages and takes them.
void touch(std::byte *begin, uint64_t bytes) {
  madvise(begin, bytes, MADV_HUGEPAGE); // An optimisation; may be refused.
  auto *data = reinterpret_cast<volatile std::byte *>(begin);
  for (uint64_t at = 0; at < bytes; at += kPage)
    data[at] = std::byte(0);
}

} // namespace

Result<Arena> Arena::allocate(uint64_t bytes, uint64_t offloadOffset,
                              uint64_t offloadBytes,
                              const std::string &folder) {
  const bool isInFile = offloadBytes && !folder.empty();
  const uint64_t inMemory = isInFile ? bytes : offloadOffset + offloadBytes;
  const AvailableMemory available = readAvailableMemory();
  for (const MemoryBound *bound : {&available.machine, &available.process})
    if (inMemory > bound->bytes)
      return inputError("the run needs ", mebibytes(inMemory),
                        " of memory and ", bound->text,
                        "; compile with a smaller batch");
  std::optional<OffloadFile> file;
  if (isInFile) {
    Result<OffloadFile> created = OffloadFile::create(folder, offloadBytes);
    if (!created.ok())
      return created.status();
    file.emplace(std::move(*created));
  }
  const uint64_t mapped = std::max<uint64_t>(offloadOffset + offloadBytes, 1);
  void *base = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return inputError("cannot allocate ", mebibytes(mapped), ": ",
                      errnoText(errno));
  Arena arena(static_cast<std::byte *>(base), bytes, mapped, offloadOffset,
              std::move(file));
  if (arena.file)
    DSC_RETURN_IF_ERROR(arena.file->map(arena.base + offloadOffset));
  touch(arena.base, isInFile ? bytes : mapped);
  return arena;
}

Arena::Arena(std::byte *base, uint64_t size, uint64_t mapped,
             uint64_t offloadOffset, std::optional<OffloadFile> file)
    : base(base), size(size), mapped(mapped), offloadOffset(offloadOffset),
      file(std::move(file)) {}

Arena::Arena(Arena &&other) noexcept
    : base(std::exchange(other.base, nullptr)), size(other.size),
      mapped(other.mapped), offloadOffset(other.offloadOffset),
      file(std::move(other.file)) {}

Arena::~Arena() {
  if (base)
    munmap(base, mapped);
}

std::optional<uint64_t> Arena::fileOffset(const void *address) const {
  const auto *at = static_cast<const std::byte *>(address);
  const std::byte *begin = base + offloadOffset;
  if (!file || at < begin || at >= begin + file->bytes())
    return std::nullopt;
  return at - begin;
}

Status Arena::copy(void *dst, const void *src, uint64_t bytes) {
  if (auto offset = fileOffset(src))
    return file->read(*offset, dst, bytes);
  if (auto offset = fileOffset(dst))
    return file->write(*offset, src, bytes);
  std::memcpy(dst, src, bytes);
  return {};
}

void Arena::releaseOffloaded() {
  if (file && file->bytes())
    madvise(base + offloadOffset, file->bytes(), MADV_DONTNEED);
}
