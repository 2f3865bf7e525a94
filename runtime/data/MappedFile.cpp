#include "runtime/data/MappedFile.h"
#include "runtime/data/FaultGuard.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace dsc::runtime;

Result<std::shared_ptr<const MappedFile>>
MappedFile::open(const std::string &path) {
  // A pipe without a writer would block, and is refused below.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return inputError("cannot open '", path, "': ", errnoText(errno));
  struct stat status;
  void *data = nullptr;
  Status failure;
  if (fstat(file, &status) != 0)
    failure = inputError("cannot read '", path, "': ", errnoText(errno));
  else if (S_ISDIR(status.st_mode))
    failure = inputError("'", path,
                         "' is a directory; name the files in it, "
                         "as in '",
                         path, "/*'");
  else if (!S_ISREG(status.st_mode))
    failure = inputError("'", path, "' is not a regular file");
  else if (status.st_size > 0) {
    data = mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED)
      failure = inputError(
          "cannot map '", path, "': ", errnoText(errno),
          errno == ENOMEM ? "; a process may map vm.max_map_count files" : "");
  }
  ::close(file); // The mapping outlives the descriptor.
  if (!failure.ok())
    return failure;
  return std::shared_ptr<const MappedFile>(new MappedFile(
      path, {static_cast<const std::byte *>(data), size_t(status.st_size)},
      status));
}

MappedFile::~MappedFile() {
  if (!contents.empty())
    munmap(const_cast<std::byte *>(contents.data()), contents.size());
}

Status MappedFile::copy(void *to, std::span<const std::byte> from) const {
  if (copyGuarded(to, from))
    return {};
  return inputError("'", name,
                    "' cannot be read any more: it was truncated "
                    "after it was opened, or its disk fails");
}

Status MappedFile::checkUnchanged() const {
  struct stat now;
  bool isSame = stat(name.c_str(), &now) == 0 && now.st_dev == opened.st_dev &&
                now.st_ino == opened.st_ino;
  if (!isSame || (now.st_size == opened.st_size &&
                  now.st_mtim.tv_sec == opened.st_mtim.tv_sec &&
                  now.st_mtim.tv_nsec == opened.st_mtim.tv_nsec))
    return {};
  return inputError("'", name,
                    "' was written to after it was opened; data "
                    "that a run reads must stay as it is");
}
