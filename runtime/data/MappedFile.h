#ifndef DSC_RUNTIME_DATA_MAPPEDFILE_H
#define DSC_RUNTIME_DATA_MAPPEDFILE_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

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

private:
  MappedFile(std::string name, std::span<const std::byte> contents)
      : name(std::move(name)), contents(contents) {}

  std::string name;
  std::span<const std::byte> contents;
};

} // namespace dsc::runtime

#endif // DSC_RUNTIME_DATA_MAPPEDFILE_H
