#include "runtime/checkpoint/SetFiles.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

Status cutOff() { return inputError("the file is cut off"); }

/// Bytes that a call gave, 0 at the end of the file.
Result<uint64_t> readSome(int file, std::byte *memory, uint64_t bytes,
                          uint64_t offset) {
  for (;;) {
    ssize_t given = ::pread(file, memory, bytes, off_t(offset));
    if (given >= 0)
      return uint64_t(given);
    if (errno != EINTR)
      return inputError(errnoText(errno));
  }
}

} // namespace

SetFiles::~SetFiles() {
  for (const auto &[index, file] : files) {
    ::close(file.cached);
    if (file.direct >= 0)
      ::close(file.direct);
  }
}

Status SetFiles::open(uint32_t index, const std::string &name) {
  if (files.count(index))
    return {};
  std::string path = set + "/" + name;
  int cached = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (cached < 0)
    return inputError("cannot open '", path, "': ", errnoText(errno));
  files[index] = {cached,
                  ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT)};
  return {};
}

Status SetFiles::read(uint32_t index, uint64_t offset,
                      std::span<std::byte> memory) const {
  while (!memory.empty()) {
    DSC_ASSIGN(uint64_t given, readSome(files.at(index).cached, memory.data(),
                                        memory.size(), offset));
    if (given == 0)
      return cutOff();
    memory = memory.subspan(given);
    offset += given;
  }
  return {};
}

void SetFiles::askFor(uint32_t index, uint64_t offset, uint64_t bytes) const {
  posix_fadvise(files.at(index).cached, off_t(offset), off_t(bytes),
                POSIX_FADV_WILLNEED);
}

Result<std::span<std::byte>> SetFiles::readDirect(uint32_t index,
                                                  uint64_t offset,
                                                  uint64_t bytes,
                                                  std::byte *buffer) const {
  const uint64_t begin = offset / kDirectBlock * kDirectBlock;
  const uint64_t end =
      (offset + bytes + kDirectBlock - 1) / kDirectBlock * kDirectBlock;
  const std::span<std::byte> wanted(buffer + (offset - begin), bytes);
  uint64_t got = 0;
  // At the end of the file the last block is a part of one.
  while (files.at(index).direct >= 0 && begin + got < offset + bytes &&
         got % kDirectBlock == 0) {
    Result<uint64_t> given = readSome(files.at(index).direct, buffer + got,
                                      end - begin - got, begin + got);
    if (!given.ok() || *given == 0)
      break; // A fault that read() meets as well, or blocks of another size.
    got += *given;
  }
  if (begin + got >= offset + bytes)
    return wanted;
  DSC_RETURN_IF_ERROR(read(index, offset, wanted));
  return wanted;
}
