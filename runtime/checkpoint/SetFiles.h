#ifndef DSC_RUNTIME_CHECKPOINT_SETFILES_H
#define DSC_RUNTIME_CHECKPOINT_SETFILES_H

#include "runtime/data/DurableFile.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace dsc::runtime {

/// The files of a set, each opened once. Any number of threads may read.
class SetFiles {
public:
  /// Of the positions and sizes at which files are read directly.
  static constexpr uint64_t kDirectBlock = DurableFile::kDirectBlock;

  explicit SetFiles(const std::string &set) : set(set) {}
  ~SetFiles();
  SetFiles(const SetFiles &) = delete;
  SetFiles &operator=(const SetFiles &) = delete;

  /// Opens the file of this number in the manifest; once is enough.
  Status open(uint32_t index, const std::string &name);

  /// Fills `memory` from an offset on, through the page cache, in which other
  /// ranks of this host find the same.
  Status read(uint32_t index, uint64_t offset,
              std::span<std::byte> memory) const;

  /// Has the system read into its cache; it may decline.
  void askFor(uint32_t index, uint64_t offset, uint64_t bytes) const;

  /// The bytes at an offset, past the page cache where the file system can:
  /// what one rank reads once would only fill it. They lie in `buffer`, which
  /// is aligned to a block and has room for all blocks that they lie in.
  Result<std::span<std::byte>> readDirect(uint32_t index, uint64_t offset,
                                          uint64_t bytes,
                                          std::byte *buffer) const;

private:
  struct File {
    int cached;
    int direct; ///< -1 where the file system has no direct reading.
  };

  std::string set;
  std::map<uint32_t, File> files;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_CHECKPOINT_SETFILES_H
