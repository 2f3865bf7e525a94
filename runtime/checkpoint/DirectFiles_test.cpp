// Reading and writing past the page cache: what goes wrong there is done
// through it, so every case ends with the bytes or with an error.

#include "runtime/checkpoint/SetFiles.h"
#include "runtime/data/DurableFile.h"
#include "runtime/testing/Files.h"
#include "runtime/testing/FullDisk.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;

namespace {

constexpr uint64_t kBlock = DurableFile::kDirectBlock;

/// A few blocks and a part of one, aligned to a block.
class DirectFiles : public ::testing::Test {
protected:
  static constexpr uint64_t kBytes = 5 * kBlock + 777;

  void SetUp() override {
    std::iota(data.bytes, data.bytes + kBytes, 0);
    for (uint64_t i = 0; i < kBytes; ++i)
      data.bytes[i] ^= i >> 8;
  }

  std::string text() const {
    return {reinterpret_cast<const char *>(data.bytes), kBytes};
  }

  /// Writes a prefix through the page cache and then all bytes.
  Status write(const std::string &prefix) {
    Result<DurableFile> file = DurableFile::create(path);
    EXPECT_TRUE(file.ok());
    DSC_RETURN_IF_ERROR(file->write(prefix.data(), prefix.size()));
    DSC_RETURN_IF_ERROR(file->writeDirect(data.bytes, kBytes));
    return file->sync();
  }

  /// The bytes at an offset, read into memory that is `shift` off a block.
  Result<std::string> read(uint64_t offset, uint64_t bytes, size_t shift = 0) {
    SetFiles files(directory.file(""));
    DSC_RETURN_IF_ERROR(files.open(7, "part"));
    auto got = files.readDirect(
        7, offset, bytes, reinterpret_cast<std::byte *>(buffer.bytes + shift));
    if (!got.ok())
      return got.status();
    return std::string(reinterpret_cast<const char *>(got->data()),
                       got->size());
  }

  struct alignas(kBlock) Blocks {
    unsigned char bytes[8 * kBlock];
  };
  Blocks data, buffer;
  TemporaryDirectory directory;
  std::string path = directory.file("part");
};

TEST_F(DirectFiles, WritesWhereBlocksBegin) {
  for (size_t blocks : {0, 1, 2}) {
    std::string prefix(blocks * kBlock, 'x');
    ASSERT_TRUE(write(prefix).ok());
    EXPECT_EQ(readText(path), prefix + text());
  }
}

TEST_F(DirectFiles, WritesElsewhereThroughTheCache) {
  ASSERT_TRUE(write("odd").ok());
  EXPECT_EQ(readText(path), "odd" + text());
}

TEST_F(DirectFiles, AFullDiskIsAnError) {
  for (rlim_t limit : {rlim_t(kBlock), rlim_t(2 * kBlock + 100)}) {
    FullDisk disk(limit);
    EXPECT_EQ(write("").message(),
              concat("cannot write '", path, "': File too large"));
  }
}

TEST_F(DirectFiles, ReadsAnyRange) {
  writeText(path, text());
  for (uint64_t offset : {uint64_t(0), uint64_t(1), kBlock - 1, kBlock,
                          3 * kBlock + 5, kBytes - 1})
    for (uint64_t bytes : {uint64_t(1), kBlock, 2 * kBlock, kBytes - offset}) {
      if (offset + bytes > kBytes)
        continue;
      for (size_t shift : {0, 8}) { // The latter is refused by disks.
        Result<std::string> got = read(offset, bytes, shift);
        ASSERT_TRUE(got.ok()) << got.status().message();
        EXPECT_EQ(*got, text().substr(offset, bytes));
      }
    }
}

TEST_F(DirectFiles, ACutOffFileIsAnError) {
  writeText(path, text());
  EXPECT_EQ(read(0, kBytes + 1).status().message(), "the file is cut off");
  EXPECT_EQ(read(7 * kBlock, 1).status().message(), "the file is cut off");
  std::filesystem::remove(path);
  EXPECT_EQ(read(0, 1).status().message(),
            concat("cannot open '", directory.file(""),
                   "/part': No such file or directory"));
}

} // namespace
