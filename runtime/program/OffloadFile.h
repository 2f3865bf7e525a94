#ifndef DSC_RUNTIME_PROGRAM_OFFLOADFILE_H
#define DSC_RUNTIME_PROGRAM_OFFLOADFILE_H

#include "runtime/base/Status.h"

#include <array>
#include <cstddef>
#include <string>

namespace dsc::runtime {

/// The file of one rank's offloaded states. It has no name, so that it goes
/// with the process, however that ends, and all its bytes are reserved on disk
/// from the start: no later write can find the disk full.
///
/// Reads and writes leave nothing in memory for long: what was read is dropped
/// from the system's cache, and so is what was written once the disk has it.
class OffloadFile {
public:
  /// A file of zeros in `folder`.
  static Result<OffloadFile> create(const std::string &folder, uint64_t bytes);

  OffloadFile(OffloadFile &&other) noexcept;
  OffloadFile &operator=(OffloadFile &&) = delete;
  ~OffloadFile();

  uint64_t bytes() const { return size; }

  /// Maps all of the file to `address`, a multiple of a page, over what is
  /// there. The mapping outlives the file.
  Status map(std::byte *address) const;

  // By one thread at a time:
  Status read(uint64_t offset, void *data, uint64_t bytes);
  Status write(uint64_t offset, const void *data, uint64_t bytes);

private:
  struct Range {
    uint64_t offset, bytes;
  };

  OffloadFile(int descriptor, std::string folder, uint64_t size)
      : descriptor(descriptor), folder(std::move(folder)), size(size) {}
  Status fail(const char *what, int error) const;
  /// Waits until the disk has what was written, and drops it.
  Status flush();

  int descriptor;
  std::string folder; ///< For messages.
  uint64_t size;
  /// Written, on the way to the disk, and in the cache until flush().
  std::array<Range, 64> written;
  size_t writtenCount = 0;
  uint64_t writtenBytes = 0;
};

/// What a file system leaves to this user, in bytes.
Result<uint64_t> freeBytesIn(const std::string &folder);

} // namespace dsc::runtime

#endif // DSC_RUNTIME_PROGRAM_OFFLOADFILE_H
