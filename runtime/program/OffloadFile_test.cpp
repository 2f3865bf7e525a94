#include "runtime/program/Arena.h"
#include "runtime/testing/Files.h"

#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;

namespace {

constexpr uint64_t kBlock = 65536;

std::vector<uint8_t> numbers(size_t count, uint8_t first) {
  std::vector<uint8_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(OffloadFile, HasNoName) {
  TemporaryDirectory directory;
  Result<OffloadFile> file = OffloadFile::create(directory.file(""), 100000);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(std::filesystem::is_empty(directory.file("")));
}

TEST(OffloadFile, ReadsWhatWasWritten) {
  TemporaryDirectory directory;
  Result<OffloadFile> file = OffloadFile::create(directory.file(""), 100000);
  ASSERT_TRUE(file.ok()) << file.status().message();
  std::vector<uint8_t> read(100000, 1);
  ASSERT_TRUE(file->read(0, read.data(), read.size()).ok());
  EXPECT_EQ(read, std::vector<uint8_t>(100000, 0));
  // More ranges than are waited for at once, off the bounds of pages.
  for (int i = 0; i < 200; ++i) {
    std::vector<uint8_t> part = numbers(499, uint8_t(i));
    ASSERT_TRUE(file->write(i * 499 + 1, part.data(), part.size()).ok());
  }
  ASSERT_TRUE(file->write(5, nullptr, 0).ok());
  for (int i = 0; i < 200; ++i) {
    read.resize(499);
    ASSERT_TRUE(file->read(i * 499 + 1, read.data(), read.size()).ok());
    EXPECT_EQ(read, numbers(499, uint8_t(i)));
  }
}

TEST(OffloadFile, EndsWhereItWasReserved) {
  TemporaryDirectory directory;
  Result<OffloadFile> file = OffloadFile::create(directory.file(""), 10);
  ASSERT_TRUE(file.ok()) << file.status().message();
  char byte;
  EXPECT_NE(file->read(10, &byte, 1).message().find("cannot read offloaded"),
            std::string::npos);
}

TEST(OffloadFile, SaysWhereItCannotBe) {
  std::string message =
      OffloadFile::create("/nonexistent", 10).status().message();
  EXPECT_EQ(message, "cannot offload to '/nonexistent': No such file or "
                     "directory");
}

// One range of addresses, whether a file lies in it or not.
TEST(Arena, CopiesToAndFromWhatIsOffloaded) {
  TemporaryDirectory directory;
  for (const std::string &folder : {std::string(), directory.file("")}) {
    Result<Arena> arena = Arena::allocate(1000, kBlock, 3000, folder);
    ASSERT_TRUE(arena.ok()) << arena.status().message();
    EXPECT_EQ(arena->bytes(), 1000u);
    std::byte *offloaded = arena->data() + kBlock;
    EXPECT_EQ(offloaded[2999], std::byte(0));
    std::vector<uint8_t> values = numbers(500, 3);
    std::memcpy(arena->data(), values.data(), 500);
    ASSERT_TRUE(arena->copy(offloaded + 2500, arena->data(), 500).ok());
    // What goes through addresses and what goes past them is the same.
    arena->releaseOffloaded();
    EXPECT_EQ(std::memcmp(offloaded + 2500, values.data(), 500), 0);
    std::memset(offloaded + 2500, 9, 250);
    arena->releaseOffloaded();
    ASSERT_TRUE(arena->copy(arena->data() + 500, offloaded + 2500, 500).ok());
    EXPECT_EQ(arena->data()[500], std::byte(9));
    EXPECT_EQ(arena->data()[749], std::byte(9));
    EXPECT_EQ(std::memcmp(arena->data() + 750, values.data() + 250, 250), 0);
    ASSERT_TRUE(arena->copy(arena->data() + 10, arena->data() + 750, 5).ok());
    EXPECT_EQ(std::memcmp(arena->data() + 10, values.data() + 250, 5), 0);
  }
}

TEST(Arena, OffloadsNothing) {
  TemporaryDirectory directory;
  Result<Arena> arena = Arena::allocate(0, 0, 0, directory.file(""));
  ASSERT_TRUE(arena.ok());
  arena->releaseOffloaded();
  EXPECT_EQ(arena->bytes(), 0u);
}

} // namespace
