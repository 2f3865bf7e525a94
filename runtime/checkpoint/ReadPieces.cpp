#include "runtime/checkpoint/ReadPieces.h"
#include "runtime/checkpoint/SetFiles.h"
#include "runtime/data/Crc32.h"
#include "runtime/program/Arena.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

using namespace dsc::runtime;

namespace {

/// Small enough that a block is in the cache when its checksum is taken, large
/// enough that the disk does not notice: a huge page.
constexpr uint64_t kBlockBytes = uint64_t(2) << 20;

/// Blocks that the page cache is asked for ahead of those that threads are at,
/// so that the disk never waits for a checksum.
constexpr size_t kBlocksAhead = 16;

/// A piece, or the header of a file.
struct Range {
  uint32_t file;
  uint64_t offset, bytes;
  uint32_t crc;
  const Destination *destination; ///< Null for a header.
  uint64_t begin = 0;             ///< Of a piece: its first byte in the tensor.

  /// Whether it is read past the page cache: what no other rank reads, if it is
  /// worth an access of the disk's own.
  bool isDirect() const {
    return destination && !destination->isReplicated && bytes >= kBlockBytes;
  }
};

/// A part of a range that one thread reads; in one block of the file.
struct Block {
  const Range *range;
  uint64_t begin, bytes; ///< In the range.
  uint32_t crc = 0;      ///< Of what was read.
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
  void work(std::byte *buffer);
  void askFor(const Block &block) const;
  Status readBlock(Block &block, std::byte *buffer) const;
  Result<std::span<std::byte>> fetch(const Block &block,
                                     std::byte *buffer) const;
  Status checkRange(const Range &range, const Block *first,
                    const Block *last) const;
  std::string nameOf(const Range &range) const;

  const std::string &set;
  const CheckpointManifest &manifest;
  SetFiles files;
  std::vector<Range> ranges;
  std::vector<Block> blocks; ///< In the order of the ranges.
  std::atomic<size_t> next{0};
  std::mutex mutex; ///< Guards `failure`.
  Status failure;
};

Status Reading::add(Range range) {
  DSC_RETURN_IF_ERROR(files.open(range.file, manifest.files[range.file].name));
  ranges.push_back(range);
  return {};
}

std::string Reading::nameOf(const Range &range) const {
  return "'" + set + "/" + manifest.files[range.file].name + "': " +
         (range.destination ? "'" + range.destination->tensor->name + "'"
                            : "the header");
}

/// The bytes of a block, in `buffer`, which has kBlockBytes.
Result<std::span<std::byte>> Reading::fetch(const Block &block,
                                            std::byte *buffer) const {
  const Range &range = *block.range;
  const uint64_t offset = range.offset + block.begin;
  if (range.isDirect())
    return files.readDirect(range.file, offset, block.bytes, buffer);
  std::span<std::byte> memory(buffer, block.bytes);
  DSC_RETURN_IF_ERROR(files.read(range.file, offset, memory));
  return memory;
}

Status Reading::readBlock(Block &block, std::byte *buffer) const {
  const Range &range = *block.range;
  Result<std::span<std::byte>> fetched = fetch(block, buffer);
  if (!fetched.ok())
    return inputError(nameOf(range),
                      " cannot be read: ", fetched.status().message());
  const std::span<std::byte> memory = *fetched;
  block.crc = crc32Of(memory);
  const Destination *destination = range.destination;
  if (!destination)
    return {};
  uint64_t first = range.begin + block.begin, end = first + block.bytes;
  uint64_t wantedBegin =
      destination->begin * byteSize(destination->tensor->type);
  uint64_t low = std::max(first, wantedBegin),
           high = std::min(end, wantedBegin + destination->memory.size());
  if (low < high)
    std::memcpy(destination->memory.data() + (low - wantedBegin),
                memory.data() + (low - first), high - low);
  if (!holds(memory, destination->tensor->type, destination->check))
    return inputError(nameOf(range), " holds a number that is not finite",
                      destination->check == NumberCheck::NotNegative
                          ? " or is negative"
                          : "");
  return {};
}

void Reading::askFor(const Block &block) const {
  const Range &range = *block.range;
  if (!range.isDirect())
    files.askFor(range.file, range.offset + block.begin, block.bytes);
}

void Reading::work(std::byte *buffer) {
  for (size_t i; (i = next.fetch_add(1)) < blocks.size();) {
    if (i + kBlocksAhead < blocks.size())
      askFor(blocks[i + kBlocksAhead]);
    Status status = readBlock(blocks[i], buffer);
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
    for (uint64_t at = 0, bytes; at < range.bytes; at += bytes) {
      uint64_t left = kBlockBytes - (range.offset + at) % kBlockBytes;
      bytes = std::min(left, range.bytes - at);
      blocks.push_back({&range, at, bytes});
    }
  }
  firstOf.push_back(blocks.size());
  uint64_t bytes = 0;
  for (const Range &range : ranges)
    bytes += range.bytes;
  // A thread for less than a block costs more than it saves.
  threads = std::min<uint64_t>(threads, bytes / kBlockBytes + 1);
  DSC_ASSIGN(Arena buffers, Arena::allocate(threads * kBlockBytes));
  {
    std::vector<std::jthread> helpers; // Joined at the end of the scope.
    for (unsigned i = 1; i < threads; ++i)
      try {
        helpers.emplace_back([this, buffer = buffers.data() + i * kBlockBytes] {
          work(buffer);
        });
      } catch (const std::system_error &) {
        break; // Those that there are do it all.
      }
    work(buffers.data());
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
