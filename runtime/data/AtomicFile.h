#ifndef DSC_RUNTIME_DATA_ATOMICFILE_H
#define DSC_RUNTIME_DATA_ATOMICFILE_H

#include "runtime/data/DurableFile.h"

namespace dsc::runtime {

/// A file that appears whole or not at all: it is written beside its place
/// under another name, synchronised to disk, and renamed. Without commit() the
/// old file stays and what was written is removed. A path that exists and is no
/// regular file, such as a pipe or a device, is written directly.
class AtomicFile {
public:
  static Result<AtomicFile> create(const std::string &path);

  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&other) = delete;
  ~AtomicFile();

  Status write(const void *data, uint64_t bytes);

  /// Overwrites bytes that have been written before, at `offset`.
  Status writeAt(uint64_t offset, const void *data, uint64_t bytes);

  /// Puts the file in its place. Nothing may be written afterwards.
  Status commit();

private:
  AtomicFile(std::string path, std::string aside, DurableFile file)
      : path(std::move(path)), aside(std::move(aside)), file(std::move(file)) {}

  std::string path;
  std::string aside; ///< Empty if `path` is written directly, or is done.
  DurableFile file;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_ATOMICFILE_H
