#include "runtime/program/OffloadFile.h"
#include "runtime/program/AvailableMemory.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

using namespace dsc::runtime;

namespace {

/// What may be written and not be on disk yet.
constexpr uint64_t kMaxWritten = uint64_t(32) << 20;

/// A new file without a name, or -1.
int openNameless(const std::string &folder) {
  int descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  // Not every file system has O_TMPFILE.
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
    return descriptor;
  std::string name = folder + "/.dsrun-offload-XXXXXX";
  descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor >= 0)
    unlink(name.c_str());
  return descriptor;
}

} // namespace

Result<uint64_t> dsc::runtime::freeBytesIn(const std::string &folder) {
  struct statvfs system;
  if (statvfs(folder.c_str(), &system) != 0)
    return inputError("cannot offload to '", folder, "': ", errnoText(errno));
  return uint64_t(system.f_bavail) * system.f_frsize;
}

Result<OffloadFile> OffloadFile::create(const std::string &folder,
                                        uint64_t bytes) {
  int descriptor = openNameless(folder);
  if (descriptor < 0)
    return inputError("cannot offload to '", folder, "': ", errnoText(errno));
  OffloadFile file(descriptor, folder, bytes);
  if (bytes == 0)
    return file;
  if (int error = posix_fallocate(descriptor, 0, off_t(bytes)))
    return inputError("cannot reserve ", mebibytes(bytes), " in '", folder,
                      "': ", errnoText(error));
  // What the reservation may have written itself is of no use in memory.
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  return file;
}

OffloadFile::OffloadFile(OffloadFile &&other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)),
      folder(std::move(other.folder)), size(other.size), written(other.written),
      writtenCount(std::exchange(other.writtenCount, 0)),
      writtenBytes(std::exchange(other.writtenBytes, 0)) {}

OffloadFile::~OffloadFile() {
  if (descriptor >= 0)
    close(descriptor);
}

Status OffloadFile::fail(const char *what, int error) const {
  return inputError("cannot ", what, " offloaded states in '", folder,
                    "': ", errnoText(error));
}

Status OffloadFile::map(std::byte *address) const {
  if (size && mmap(address, size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, descriptor, 0) == MAP_FAILED)
    return fail("map", errno);
  return {};
}

Status OffloadFile::read(uint64_t offset, void *data, uint64_t bytes) {
  auto *to = static_cast<std::byte *>(data);
  for (uint64_t done = 0; done < bytes;) {
    ssize_t count = pread(descriptor, to + done, bytes - done, offset + done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) // The file is as long as it was reserved.
      return fail("read", count ? errno : EIO);
    done += count;
  }
  posix_fadvise(descriptor, off_t(offset), off_t(bytes), POSIX_FADV_DONTNEED);
  return {};
}

Status OffloadFile::write(uint64_t offset, const void *data, uint64_t bytes) {
  auto *from = static_cast<const std::byte *>(data);
  for (uint64_t done = 0; done < bytes;) {
    ssize_t count =
        pwrite(descriptor, from + done, bytes - done, offset + done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return fail("write", count ? errno : EIO);
    done += count;
  }
  if (bytes == 0)
    return {};
  sync_file_range(descriptor, off_t(offset), off_t(bytes),
                  SYNC_FILE_RANGE_WRITE);
  written[writtenCount++] = {offset, bytes};
  writtenBytes += bytes;
  return writtenCount == written.size() || writtenBytes >= kMaxWritten
             ? flush()
             : Status();
}

Status OffloadFile::flush() {
  for (size_t i = 0; i < writtenCount; ++i) {
    auto [offset, bytes] = written[i];
    int failed =
        sync_file_range(descriptor, off_t(offset), off_t(bytes),
                        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                            SYNC_FILE_RANGE_WAIT_AFTER);
    // File systems without a disk have nothing to wait for.
    if (failed && (errno == EIO || errno == ENOSPC || errno == EDQUOT))
      return fail("write", errno);
    posix_fadvise(descriptor, off_t(offset), off_t(bytes), POSIX_FADV_DONTNEED);
  }
  writtenCount = writtenBytes = 0;
  return {};
}
