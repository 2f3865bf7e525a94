#ifndef DSC_RUNTIME_DATA_MAPPEDFILE_H
#define DSC_RUNTIME_DATA_MAPPEDFILE_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <sys/stat.h>

namespace dsc::runtime {

/// A file mapped for reading. Views into it keep the mapping by holding the
/// shared pointer.
class MappedFile {
public:
  /// Maps a regular file; the messages name `path`.
  static Result<std::shared_ptr<const MappedFile>>
  open(const std::string &path);

  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;
  ~MappedFile();

  const std::string &path() const { return name; }
  std::span<const std::byte> bytes() const { return contents; }

  /// Copies some of bytes() out. What lies beyond the end of a file that was
  /// truncated after it was mapped, or on a disk that fails, is an error here,
  /// where looking at bytes() would end the process. Any thread; no allocation.
  Status copy(void *to, std::span<const std::byte> from) const;

  /// An error if the file was written to since it was mapped. One that was
  /// replaced or removed is none: the mapping still has what it had.
  Status checkUnchanged() const;

private:
  MappedFile(std::string name, std::span<const std::byte> contents,
             const struct stat &status)
      : name(std::move(name)), contents(contents), opened(status) {}

  std::string name;
  std::span<const std::byte> contents;
  struct stat opened;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_MAPPEDFILE_H
