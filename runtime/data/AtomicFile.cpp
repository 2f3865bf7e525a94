#include "runtime/data/AtomicFile.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace dsc::runtime;

Result<AtomicFile> AtomicFile::create(const std::string &path) {
  struct stat status;
  bool direct = stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  std::string aside = direct ? "" : path + ".tmp-" + std::to_string(::getpid());
  int flags = O_WRONLY | O_CLOEXEC | (direct ? 0 : O_CREAT | O_TRUNC);
  int file = ::open(direct ? path.c_str() : aside.c_str(), flags, 0666);
  if (file < 0)
    return inputError("cannot write '", path, "': ", errnoText(errno));
  return AtomicFile(path, aside, file);
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : path(std::move(other.path)), aside(std::move(other.aside)),
      file(std::exchange(other.file, -1)) {}

AtomicFile::~AtomicFile() {
  if (file < 0)
    return;
  ::close(file);
  if (!aside.empty())
    ::unlink(aside.c_str());
}

Status AtomicFile::failure(const char *action) const {
  return inputError("cannot ", action, " '", path, "': ", errnoText(errno));
}

Status AtomicFile::write(const void *data, uint64_t bytes) {
  const char *at = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t written = ::write(file, at, bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return failure("write");
    at += written;
    bytes -= written;
  }
  return {};
}

Status AtomicFile::writeAt(uint64_t offset, const void *data, uint64_t bytes) {
  const char *at = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t written = ::pwrite(file, at, bytes, offset);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return failure("write");
    at += written;
    offset += written;
    bytes -= written;
  }
  return {};
}

Status AtomicFile::commit() {
  // Pipes and devices know no fsync; for them EINVAL is no failure.
  if (::fsync(file) != 0 && errno != EINVAL)
    return failure("write");
  if (::close(std::exchange(file, -1)) != 0) {
    Status status = failure("write");
    if (!aside.empty())
      ::unlink(aside.c_str());
    return status;
  }
  if (aside.empty())
    return {};
  if (std::rename(aside.c_str(), path.c_str()) != 0) {
    Status status = failure("replace");
    ::unlink(aside.c_str());
    return status;
  }
  // The rename is durable once the directory is.
  std::filesystem::path parent = std::filesystem::path(path).parent_path();
  int directory = ::open(parent.empty() ? "." : parent.c_str(),
                         O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
  return {};
}
