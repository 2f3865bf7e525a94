#include "runtime/calibrate/StorageSpeed.h"
#include "runtime/calibrate/Median.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

constexpr uint64_t kPiece = uint64_t(4) << 20, kPieces = 16;
constexpr uint64_t kPage = 4096;
constexpr int kSmallReads = 32;

class File {
public:
  explicit File(int descriptor) : descriptor(descriptor) {}
  ~File() { close(descriptor); }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  const int descriptor;
};

bool writeAll(int file, const std::vector<char> &bytes, uint64_t offset) {
  for (uint64_t done = 0; done < bytes.size();) {
    ssize_t count = pwrite(file, bytes.data() + done, bytes.size() - done,
                           off_t(offset + done));
    if (count < 0 && errno != EINTR)
      return false;
    done += count > 0 ? count : 0;
  }
  return true;
}

bool readAll(int file, char *bytes, uint64_t size, uint64_t offset) {
  for (uint64_t done = 0; done < size;) {
    ssize_t count =
        pread(file, bytes + done, size - done, off_t(offset + done));
    if (count == 0 || (count < 0 && errno != EINTR))
      return false;
    done += count > 0 ? count : 0;
  }
  return true;
}

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

} // namespace

Result<Machine::Storage>
dsc::runtime::measureStorage(const std::string &directory) {
  auto failure = [&] {
    return inputError("--offload-dir: cannot measure '", directory,
                      "': ", errnoText(errno));
  };
  std::string name = directory + "/dsc-calibrate-XXXXXX";
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0)
    return failure();
  File file(descriptor);
  unlink(name.c_str());

  std::vector<char> piece(kPiece);
  for (uint64_t i = 0; i < kPiece; ++i) // No file system that packs gains.
    piece[i] = char((i * 0x9e3779b97f4a7c15u) >> 56);
  auto begin = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < kPieces; ++i)
    if (!writeAll(descriptor, piece, i * kPiece))
      return failure();
  if (fdatasync(descriptor) != 0)
    return failure();
  double seconds = secondsSince(begin);

  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  begin = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < kPieces; ++i)
    if (!readAll(descriptor, piece.data(), kPiece, i * kPiece))
      return failure();
  seconds += secondsSince(begin);

  posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
  std::vector<double> small;
  for (uint64_t i = 0; i < kSmallReads; ++i) {
    // Far apart, so that none is read ahead.
    uint64_t offset = i * kPiece * kPieces / kSmallReads / kPage * kPage;
    begin = std::chrono::steady_clock::now();
    if (!readAll(descriptor, piece.data(), kPage, offset))
      return failure();
    small.push_back(secondsSince(begin));
  }
  Machine::Storage storage;
  storage.latency = median(small);
  storage.bandwidth = 2.0 * kPiece * kPieces / seconds;
  return storage;
}
