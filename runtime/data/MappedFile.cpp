#include "runtime/data/MappedFile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dsc::runtime;

Result<std::shared_ptr<const MappedFile>>
MappedFile::open(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return inputError("cannot open '", path, "': ", errnoText(errno));
  struct stat status;
  void *data = nullptr;
  Status failure;
  if (fstat(file, &status) != 0)
    failure = inputError("cannot read '", path, "': ", errnoText(errno));
  else if (!S_ISREG(status.st_mode))
    failure = inputError("'", path, "' is not a regular file");
  else if (status.st_size > 0) {
    data = mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED)
      failure = inputError("cannot map '", path, "': ", errnoText(errno));
  }
  ::close(file); // The mapping outlives the descriptor.
  if (!failure.ok())
    return failure;
  return std::shared_ptr<const MappedFile>(new MappedFile(
      path, {static_cast<const std::byte *>(data), size_t(status.st_size)}));
}

MappedFile::~MappedFile() {
  if (!contents.empty())
    munmap(const_cast<std::byte *>(contents.data()), contents.size());
}
