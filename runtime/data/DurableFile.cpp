#include "runtime/data/DurableFile.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

/// Of one direct write: the most that a disk profits from.
constexpr uint64_t kDirectBytes = uint64_t(8) << 20;

} // namespace

Result<DurableFile> DurableFile::open(const std::string &path,
                                      const std::string &shownAs, int flags) {
  const std::string &name = shownAs.empty() ? path : shownAs;
  int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (file < 0)
    return inputError("cannot write '", name, "': ", errnoText(errno));
  return DurableFile(name, file);
}

Result<DurableFile> DurableFile::create(const std::string &path,
                                        const std::string &shownAs) {
  return open(path, shownAs, O_CREAT | O_TRUNC);
}

Result<DurableFile> DurableFile::open(const std::string &path) {
  return open(path, path, 0);
}

DurableFile::DurableFile(DurableFile &&other) noexcept
    : name(std::move(other.name)), file(std::exchange(other.file, -1)) {}

DurableFile::~DurableFile() {
  if (file >= 0)
    ::close(file);
}

Status DurableFile::failure() const {
  return inputError("cannot write '", name, "': ", errnoText(errno));
}

Status DurableFile::write(const void *data, uint64_t bytes) {
  const char *at = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t written = ::write(file, at, bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return failure();
    at += written;
    bytes -= written;
  }
  return {};
}

Status DurableFile::writeDirect(const void *data, uint64_t bytes) {
  const char *at = static_cast<const char *>(data);
  const char *end = at + bytes, *lastBlock = end - bytes % kDirectBlock;
  if (::fcntl(file, F_SETFL, O_DIRECT) == 0) {
    while (at < lastBlock) {
      ssize_t written =
          ::write(file, at, std::min<uint64_t>(lastBlock - at, kDirectBytes));
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        break; // By a fault, which write() meets as well, or other blocks.
      at += written;
    }
    if (::fcntl(file, F_SETFL, 0) != 0)
      return failure();
  }
  return write(at, end - at);
}

Status DurableFile::writeAt(uint64_t offset, const void *data, uint64_t bytes) {
  const char *at = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t written = ::pwrite(file, at, bytes, offset);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return failure();
    at += written;
    offset += written;
    bytes -= written;
  }
  return {};
}

Status DurableFile::sync() {
  // Pipes and devices know no fsync; for them EINVAL is no failure.
  if (::fsync(file) != 0 && errno != EINVAL)
    return failure();
  return ::close(std::exchange(file, -1)) == 0 ? Status() : failure();
}

Status dsc::runtime::syncDirectory(const std::string &path) {
  const char *name = path.empty() ? "." : path.c_str();
  int directory = ::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Some file systems cannot synchronise a directory, and say so by EINVAL.
  bool done = directory >= 0 && (::fsync(directory) == 0 || errno == EINVAL);
  int error = errno;
  if (directory >= 0)
    ::close(directory);
  return done ? Status()
              : inputError("cannot write '", name, "': ", errnoText(error));
}
