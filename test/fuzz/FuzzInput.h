#ifndef DSC_TEST_FUZZ_FUZZINPUT_H
#define DSC_TEST_FUZZ_FUZZINPUT_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace dsc::fuzz {

/// A file of the fuzzer's bytes, in memory, that has a path while it lives.
class InputFile {
public:
  InputFile(const uint8_t *data, size_t size)
      : descriptor(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor < 0 || write(descriptor, data, size) != ssize_t(size))
      std::abort();
  }
  ~InputFile() { close(descriptor); }
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor);
  }

private:
  int descriptor;
};

/// What a reader must keep, whatever the bytes: aborts where it does not.
inline void require(bool holds) {
  if (!holds)
    std::abort();
}

/// A failure must be the user's, and say something.
inline void requireSentence(const runtime::Status &status) {
  require(status.ok() || (status.kind() != runtime::ErrorKind::Internal &&
                          !status.message().empty()));
}

/// Reads every byte, so that the sanitizers see what a view covers.
inline void touch(std::span<const std::byte> bytes) {
  volatile uint8_t all = 0;
  for (std::byte byte : bytes)
    all = all ^ uint8_t(byte);
}

} // namespace dsc::fuzz

#endif // DSC_TEST_FUZZ_FUZZINPUT_H
