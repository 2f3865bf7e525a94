#include "runtime/checkpoint/ReadPieces.h"
#include "runtime/data/Crc32.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

/// Small enough that a block is in the cache when its checksum is taken, large
/// enough that the disk does not notice.
constexpr uint64_t kBlockBytes = uint64_t(1) << 20;

/// Blocks that the disk is asked for ahead of those that threads are at, so
/// that it never waits for a checksum.
constexpr size_t kBlocksAhead = 32;

/// A piece, or the header of a file.
struct Range {
  uint32_t file;
  uint64_t offset, bytes;
  uint32_t crc;
  const Destination *destination; ///< Null for a header.
  uint64_t begin = 0;             ///< Of a piece: its first byte in the tensor.
};

/// A part of a range that one thread reads.
struct Block {
  const Range *range;
  uint64_t begin, bytes; ///< In the range.
  uint32_t crc = 0;      ///< Of what was read.
};

/// Files of a set, opened once.
class OpenFiles {
public:
  explicit OpenFiles(const std::string &set) : set(set) {}
  ~OpenFiles() {
    for (const auto &[index, file] : files)
      ::close(file);
  }

  Status open(uint32_t index, const CheckpointManifest::File &file) {
    if (files.count(index))
      return {};
    std::string path = set + "/" + file.name;
    int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0)
      return inputError("cannot open '", path, "': ", errnoText(errno));
    files[index] = opened;
    return {};
  }

  int operator[](uint32_t index) const { return files.at(index); }

private:
  std::string set;
  std::map<uint32_t, int> files;
};

/// Looks at the bits of floating-point numbers, whose order is that of the
/// magnitudes: two maxima are what vectorises best.
template <typename Bits>
bool allHold(std::span<const std::byte> bytes, Bits infinity,
             NumberCheck check) {
  constexpr Bits kSign = Bits(1) << (8 * sizeof(Bits) - 1);
  Bits largest = 0, largestMagnitude = 0;
  for (size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits)) {
    Bits number;
    std::memcpy(&number, bytes.data() + at, sizeof(Bits));
    largest = std::max(largest, number);
    largestMagnitude = std::max(largestMagnitude, Bits(number & ~kSign));
  }
  // Only negative numbers are above the sign alone, which is -0.
  return largestMagnitude < infinity &&
         (check != NumberCheck::NotNegative || largest <= kSign);
}

bool holds(std::span<const std::byte> bytes, ElementType type,
           NumberCheck check) {
  if (check == NumberCheck::None)
    return true;
  if (type == ElementType::F32)
    return allHold<uint32_t>(bytes, 0x7f800000, check);
  return type != ElementType::F64 ||
         allHold<uint64_t>(bytes, 0x7ff0000000000000, check);
}

/// One call of readPieces.
class Reading {
public:
  Reading(const std::string &set, const CheckpointManifest &manifest)
      : set(set), manifest(manifest), files(set) {}

  Status add(Range range);
  Status run(unsigned threads);

private:
  void work();
  void askFor(const Block &block) const;
  Status readBlock(Block &block, std::vector<std::byte> &scratch) const;
  Status readAt(const Range &range, uint64_t offset,
                std::span<std::byte> memory) const;
  Status checkRange(const Range &range, const Block *first,
                    const Block *last) const;
  std::string nameOf(const Range &range) const;

  const std::string &set;
  const CheckpointManifest &manifest;
  OpenFiles files;
  std::vector<Range> ranges;
  std::vector<Block> blocks; ///< In the order of the ranges.
  std::atomic<size_t> next{0};
  std::mutex mutex; ///< Guards `failure`.
  Status failure;
};

Status Reading::add(Range range) {
  DSC_RETURN_IF_ERROR(files.open(range.file, manifest.files[range.file]));
  ranges.push_back(range);
  return {};
}

std::string Reading::nameOf(const Range &range) const {
  return "'" + set + "/" + manifest.files[range.file].name + "': " +
         (range.destination ? "'" + range.destination->tensor->name + "'"
                            : "the header");
}

Status Reading::readAt(const Range &range, uint64_t offset,
                       std::span<std::byte> memory) const {
  while (!memory.empty()) {
    ssize_t bytes =
        ::pread(files[range.file], memory.data(), memory.size(), offset);
    if (bytes < 0 && errno == EINTR)
      continue;
    if (bytes <= 0)
      return inputError(nameOf(range), " cannot be read: ",
                        bytes ? errnoText(errno) : "the file is cut off");
    memory = memory.subspan(bytes);
    offset += bytes;
  }
  return {};
}

/// Reads straight to the destination if all of the block goes there.
Status Reading::readBlock(Block &block, std::vector<std::byte> &scratch) const {
  const Range &range = *block.range;
  const Destination *destination = range.destination;
  uint64_t first = range.begin + block.begin, end = first + block.bytes;
  uint64_t wantedBegin = 0, wantedEnd = 0;
  if (destination) {
    wantedBegin = destination->begin * byteSize(destination->tensor->type);
    wantedEnd = wantedBegin + destination->memory.size();
  }
  bool isDirect = destination && first >= wantedBegin && end <= wantedEnd;
  if (!isDirect)
    scratch.resize(kBlockBytes);
  std::span<std::byte> memory =
      isDirect ? destination->memory.subspan(first - wantedBegin, block.bytes)
               : std::span(scratch).first(block.bytes);
  DSC_RETURN_IF_ERROR(readAt(range, range.offset + block.begin, memory));
  block.crc = crc32Of(memory);
  if (!destination)
    return {};
  if (!isDirect) {
    uint64_t low = std::max(first, wantedBegin),
             high = std::min(end, wantedEnd);
    if (low < high)
      std::memcpy(destination->memory.data() + (low - wantedBegin),
                  memory.data() + (low - first), high - low);
  }
  if (!holds(memory, destination->tensor->type, destination->check))
    return inputError(nameOf(range), " holds a number that is not finite",
                      destination->check == NumberCheck::NotNegative
                          ? " or is negative"
                          : "");
  return {};
}

/// Has the system read a block into its cache; it may decline.
void Reading::askFor(const Block &block) const {
  posix_fadvise(files[block.range->file], block.range->offset + block.begin,
                block.bytes, POSIX_FADV_WILLNEED);
}

void Reading::work() {
  std::vector<std::byte> scratch;
  for (size_t i; (i = next.fetch_add(1)) < blocks.size();) {
    if (i + kBlocksAhead < blocks.size())
      askFor(blocks[i + kBlocksAhead]);
    Status status;
    try {
      status = readBlock(blocks[i], scratch);
    } catch (const std::bad_alloc &) {
      status = inputError("out of memory");
    }
    if (status.ok())
      continue;
    std::lock_guard guard(mutex);
    if (failure.ok())
      failure = status;
    next = blocks.size();
  }
}

Status Reading::checkRange(const Range &range, const Block *first,
                           const Block *last) const {
  uint32_t crc = 0;
  for (; first != last; ++first)
    crc = joinCrc32(crc, first->crc, first->bytes);
  return crc == range.crc
             ? Status()
             : inputError(nameOf(range), " does not match its ", "checksum");
}

Status Reading::run(unsigned threads) {
  std::vector<size_t> firstOf;
  for (const Range &range : ranges) {
    firstOf.push_back(blocks.size());
    for (uint64_t at = 0; at < range.bytes; at += kBlockBytes)
      blocks.push_back({&range, at, std::min(kBlockBytes, range.bytes - at)});
  }
  firstOf.push_back(blocks.size());
  uint64_t bytes = 0;
  for (const Range &range : ranges)
    bytes += range.bytes;
  // A thread for less than a block costs more than it saves.
  threads = std::min<uint64_t>(threads, bytes / kBlockBytes + 1);
  {
    std::vector<std::jthread> helpers; // Joined at the end of the scope.
    for (unsigned i = 1; i < threads; ++i)
      try {
        helpers.emplace_back([this] { work(); });
      } catch (const std::system_error &) {
        break; // Those that there are do it all.
      }
    work();
  }
  DSC_RETURN_IF_ERROR(failure);
  for (size_t i = 0; i < ranges.size(); ++i)
    DSC_RETURN_IF_ERROR(checkRange(ranges[i], blocks.data() + firstOf[i],
                                   blocks.data() + firstOf[i + 1]));
  return {};
}

} // namespace

Status dsc::runtime::readPieces(const std::string &set,
                                const CheckpointManifest &manifest,
                                const std::vector<Destination> &destinations,
                                uint32_t rank, uint32_t ranks,
                                unsigned threads) {
  Reading reading(set, manifest);
  for (const Destination &destination : destinations) {
    uint64_t element = byteSize(destination.tensor->type);
    uint64_t end = destination.begin + destination.memory.size() / element;
    for (const CheckpointManifest::Piece &piece : destination.tensor->pieces)
      if (piece.begin < end && destination.begin < piece.end)
        DSC_RETURN_IF_ERROR(reading.add(
            {piece.file, piece.offset, (piece.end - piece.begin) * element,
             piece.crc, &destination, piece.begin * element}));
  }
  for (uint64_t file = rank; file < manifest.files.size(); file += ranks)
    DSC_RETURN_IF_ERROR(
        reading.add({uint32_t(file), 0, manifest.files[file].headerBytes,
                     manifest.files[file].headerCrc, nullptr}));
  return reading.run(threads);
}
