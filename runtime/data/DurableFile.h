#ifndef DSC_RUNTIME_DATA_DURABLEFILE_H
#define DSC_RUNTIME_DATA_DURABLEFILE_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>

namespace dsc::runtime {

/// A file that is written from its start and is on the disk once sync() has
/// returned. For one thread.
class DurableFile {
public:
  /// Creates the file, or empties the one that is there. Messages call it
  /// `shownAs`, or by its path if that is empty.
  static Result<DurableFile> create(const std::string &path,
                                    const std::string &shownAs = "");

  /// Opens a pipe or a device, which nothing can be created in place of.
  static Result<DurableFile> open(const std::string &path);

  DurableFile(DurableFile &&other) noexcept;
  DurableFile &operator=(DurableFile &&other) = delete;
  ~DurableFile();

  Status write(const void *data, uint64_t bytes);

  /// Blocks that writeDirect() hands to the disk: those of a page, of which
  /// blocks of disks are parts.
  static constexpr uint64_t kDirectBlock = 4096;

  /// Writes past the page cache, which what nobody reads soon would only fill,
  /// and without the copy into it. What was written so far and the address are
  /// multiples of kDirectBlock. Where the file system cannot do it, as write().
  Status writeDirect(const void *data, uint64_t bytes);

  /// Overwrites bytes that have been written before, at `offset`.
  Status writeAt(uint64_t offset, const void *data, uint64_t bytes);

  /// Waits for the disk and closes. Nothing may be written afterwards.
  Status sync();

private:
  DurableFile(std::string name, int file) : name(std::move(name)), file(file) {}
  static Result<DurableFile> open(const std::string &path,
                                  const std::string &shownAs, int flags);
  Status failure() const;

  std::string name;
  int file;
};

/// Waits until what was created, renamed or removed in a directory is on the
/// disk. An empty path is the current directory.
Status syncDirectory(const std::string &path);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_DURABLEFILE_H
