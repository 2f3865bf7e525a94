#include "runtime/data/AtomicFile.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace dsc::runtime;

Result<AtomicFile> AtomicFile::create(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    DSC_ASSIGN(DurableFile file, DurableFile::open(path));
    return AtomicFile(path, "", std::move(file));
  }
  std::string aside = path + ".tmp-" + std::to_string(::getpid());
  DSC_ASSIGN(DurableFile file, DurableFile::create(aside, path));
  return AtomicFile(path, aside, std::move(file));
}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : path(std::move(other.path)), aside(std::exchange(other.aside, "")),
      file(std::move(other.file)) {}

AtomicFile::~AtomicFile() {
  if (!aside.empty())
    ::unlink(aside.c_str());
}

Status AtomicFile::write(const void *data, uint64_t bytes) {
  return file.write(data, bytes);
}

Status AtomicFile::writeAt(uint64_t offset, const void *data, uint64_t bytes) {
  return file.writeAt(offset, data, bytes);
}

Status AtomicFile::commit() {
  DSC_RETURN_IF_ERROR(file.sync());
  if (aside.empty())
    return {};
  if (std::rename(aside.c_str(), path.c_str()) != 0)
    return inputError("cannot replace '", path, "': ", errnoText(errno));
  aside.clear();
  // The rename is durable once the directory is.
  return syncDirectory(std::filesystem::path(path).parent_path());
}
