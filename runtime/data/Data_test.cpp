#include "runtime/data/AtomicFile.h"
#include "runtime/data/Glob.h"
#include "runtime/data/Npz.h"
#include "runtime/data/Safetensors.h"
#include "runtime/data/TokenWindows.h"
#include "runtime/testing/Files.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>
#include <zlib.h>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;

namespace {

const std::vector<float> kNumbers = {1, 2, 3, 4, 5, 6};
const Shape kShape = {3, 2};

std::string npy() { return npyText(ElementType::F32, kShape, kNumbers); }

/// A zip file with one member, stored or deflated.
std::string zip(const std::string &name, const std::string &content,
                bool deflated) {
  std::string packed = content;
  if (deflated) {
    packed.resize(compressBound(content.size()) + 64);
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(content.data()));
    stream.avail_in = content.size();
    stream.next_out = reinterpret_cast<Bytef *>(packed.data());
    stream.avail_out = packed.size();
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
  }
  auto little = [](uint64_t value, int bytes) {
    return std::string(reinterpret_cast<const char *>(&value), bytes);
  };
  uint64_t crc = crc32_z(0, reinterpret_cast<const Bytef *>(content.data()),
                         content.size());
  std::string sizes = little(crc, 4) + little(packed.size(), 4) +
                      little(content.size(), 4) + little(name.size(), 2);
  std::string common =
      little(20, 2) + little(0, 2) + little(deflated ? 8 : 0, 2) + little(0, 4);
  std::string local = "PK\3\4" + common + sizes + little(0, 2) + name + packed;
  std::string directory = "PK\1\2" + little(20, 2) + common + sizes +
                          little(0, 2) + little(0, 2) + little(0, 2) +
                          little(0, 2) + little(0, 4) + little(0, 4) + name;
  return local + directory + "PK\5\6" + little(0, 4) + little(1, 2) +
         little(1, 2) + little(directory.size(), 4) + little(local.size(), 4) +
         little(0, 2);
}

class DataTest : public ::testing::Test {
protected:
  std::string write(const std::string &name, const std::string &text) {
    writeText(directory.file(name), text);
    return directory.file(name);
  }

  /// Expects that reading fails with a sentence that has this in it.
  void expectError(const std::string &location, const std::string &part) {
    Result<Array> array = readArray(location);
    ASSERT_FALSE(array.ok()) << location;
    EXPECT_EQ(array.status().kind(), ErrorKind::Input);
    EXPECT_NE(array.status().message().find(part), std::string::npos)
        << array.status().message();
  }

  void expectNumbers(const std::string &location) {
    Result<Array> array = readArray(location);
    ASSERT_TRUE(array.ok()) << array.status().message();
    EXPECT_EQ(array->type, ElementType::F32);
    EXPECT_EQ(array->shape, kShape);
    EXPECT_EQ(valuesOf<float>(array->bytes), kNumbers);
  }

  TemporaryDirectory directory;
};

TEST_F(DataTest, ReadsNpy) { expectNumbers(write("a.npy", npy())); }

TEST_F(DataTest, HeadersOfOneRankHaveOneLength) {
  EXPECT_EQ(npyHeader(ElementType::F32, {0, 1}).size(),
            npyHeader(ElementType::I1, {INT64_MAX, 50257}).size());
  EXPECT_EQ(npyHeader(ElementType::F32, {}).size() % 64, 0u);
}

TEST_F(DataTest, ReadsWhatNumpyWrites) {
  std::string text("\x93NUMPY\1\0", 8);
  std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': "
                       "(2,), }";
  header.resize(117, ' ');
  header += '\n';
  text += std::string{char(header.size()), 0} + header +
          std::string("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
  Result<Array> array = readArray(write("a.npy", text));
  ASSERT_TRUE(array.ok()) << array.status().message();
  EXPECT_EQ(array->shape, Shape{2});
  EXPECT_EQ(valuesOf<int64_t>(array->bytes), (std::vector<int64_t>{1, 2}));
}

// Every prefix of a file is refused, never read beyond its end.
TEST_F(DataTest, TruncatedNpy) {
  std::string text = npy();
  for (size_t length = 0; length < text.size(); ++length)
    ASSERT_FALSE(readArray(write("a.npy", text.substr(0, length))).ok())
        << length;
  expectError(write("a.npy", text.substr(0, text.size() - 1)), "truncated");
  expectError(write("a.npy", "hello"), "not a .npy file");
}

TEST_F(DataTest, NamesTypesThatItCannotCompute) {
  std::string text = npy();
  text.replace(text.find("<f4"), 3, "|u1");
  Result<Array> array = readArray(write("a.npy", text));
  ASSERT_TRUE(array.ok());
  EXPECT_FALSE(array->type);
  EXPECT_EQ(array->typeName, "uint8");
  text.replace(text.find("|u1"), 3, ">f4");
  EXPECT_EQ(readArray(write("a.npy", text))->typeName, "big-endian float32");
}

TEST_F(DataTest, FortranOrder) {
  std::string text = npy();
  text.replace(text.find("False"), 5, "True ");
  expectError(write("a.npy", text), "ascontiguousarray");
}

TEST_F(DataTest, ReadsNpz) {
  for (bool deflated : {false, true}) {
    std::string path = write("a.npz", zip("x.npy", npy(), deflated));
    expectNumbers(path + ":x");
    expectNumbers(path); // The only one.
    expectError(path + ":y", "has no array 'y'; it has x");
  }
}

TEST_F(DataTest, DamagedNpz) {
  for (bool deflated : {false, true}) {
    std::string text = zip("x.npy", npy(), deflated);
    for (size_t length = 0; length < text.size(); ++length)
      ASSERT_FALSE(readArray(write("a.npz", text.substr(0, length))).ok());
    for (size_t at = 0; at < text.size(); ++at) { // Must not crash.
      std::string damaged = text;
      damaged[at] ^= 0x55;
      (void)readArray(write("a.npz", damaged) + ":x").ok();
    }
  }
  std::string text = zip("x.npy", npy(), true);
  text[60] ^= 1;
  expectError(write("a.npz", text) + ":x", "damaged");
}

std::span<const std::byte> bytesOf(const std::vector<float> &numbers) {
  return std::as_bytes(std::span(numbers));
}

TEST_F(DataTest, WritesAndReadsSafetensors) {
  std::string path = directory.file("a.safetensors");
  ASSERT_TRUE(
      writeSafetensors(path,
                       {{"x", ElementType::F32, kShape, bytesOf(kNumbers)},
                        {"empty", ElementType::I64, {0}, {}}},
                       {{"who", "test"}})
          .ok());
  expectNumbers(path + ":x");
  expectError(path, "several tensors");
  expectError(path + ":z", "it has empty, x");
}

TEST_F(DataTest, HostileSafetensors) {
  auto file = [&](const std::string &header, const std::string &data) {
    uint64_t length = header.size();
    return write("a.safetensors",
                 std::string(reinterpret_cast<char *>(&length), 8) + header +
                     data);
  };
  expectError(write("a.safetensors", "abc"), "not a complete");
  expectError(write("a.safetensors", std::string(8, '\xff')), "not a complete");
  expectError(file("[]", ""), "header is not JSON");
  expectError(file("{\"x\":", ""), "header is not JSON");
  expectError(file(R"({"x":1})", ""), "needs dtype");
  expectError(
      file(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "1234"),
      "truncated");
  expectError(
      file(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "1234"),
      "does not fit");
  expectError(file(R"({"x":{"dtype":"F32","shape":[4294967296,4294967296,4],)"
                   R"("data_offsets":[0,4]}})",
                   "1234"),
              "not a valid one");
  expectError(file(R"({"x":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
                   "1234"),
              "list of sizes");
}

TEST_F(DataTest, MissingAndUnknownFiles) {
  expectError(directory.file("none.npy"), "No such file");
  expectError(directory.file("a.csv"), "FILE.npz:KEY");
}

TEST_F(DataTest, AtomicFileAppearsWholeOrNotAtAll) {
  std::string path = write("a.bin", "old");
  {
    Result<AtomicFile> file = AtomicFile::create(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write("new!", 4).ok());
    EXPECT_EQ(readText(path), "old");
  }
  EXPECT_EQ(readText(path), "old"); // Not committed.
  Result<AtomicFile> file = AtomicFile::create(path);
  ASSERT_TRUE(file->write("new!", 4).ok());
  ASSERT_TRUE(file->writeAt(0, "N", 1).ok());
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(readText(path), "New!");
  auto files = std::filesystem::directory_iterator(directory.file(""));
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(DataTest, FullDisk) {
  Result<AtomicFile> file = AtomicFile::create("/dev/full");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->write("x", 1).message(),
            "cannot write '/dev/full': No space left on device");
}

TEST_F(DataTest, TokensOfEachType) {
  std::string path =
      write("t.bin", std::string("\x01\x02\xff\x00\x00\x00\x80\xff", 8));
  auto tokens = [&](TokenType type) {
    Result<TokenFile> file = TokenFile::open(path, type);
    std::vector<uint32_t> values(file->size());
    EXPECT_TRUE(file->read(0, values).ok());
    for (uint64_t i = 0; i < file->size(); ++i) { // Also one by one.
      uint32_t token = 0;
      EXPECT_TRUE(file->read(i, std::span(&token, 1)).ok());
      EXPECT_EQ(token, values[i]);
    }
    return values;
  };
  EXPECT_EQ(tokens(TokenType::Text),
            (std::vector<uint32_t>{1, 2, 255, 0, 0, 0, 128, 255}));
  EXPECT_EQ(tokens(TokenType::U16),
            (std::vector<uint32_t>{0x201, 0xff, 0, 0xff80}));
  EXPECT_EQ(tokens(TokenType::U32),
            (std::vector<uint32_t>{0xff0201, 0xff800000}));

  path = write("odd.bin", "12345");
  EXPECT_EQ(TokenFile::open(path, TokenType::U16).status().message(),
            "'" + path +
                "' has 5 bytes, which are no whole number of tokens "
                "of 2 bytes; see --token-type");
  EXPECT_FALSE(TokenFile::open(path, TokenType::U32).ok());
  EXPECT_TRUE(TokenFile::open(path, TokenType::Text).ok());

  path = write("a.npy", npy());
  EXPECT_EQ(TokenFile::open(path, TokenType::U16).status().message(),
            "'" + path +
                "' is a .npy file, and tokens are bare numbers; write "
                "them with a.tofile(FILE)");
}

// Each token after a file's first is the label of exactly one position.
TEST_F(DataTest, TokenWindows) {
  std::string a = write("a.txt", "0123456789"), b = write("b.txt", "abcde");
  auto starts = [&](const WindowShape &shape, uint64_t leftOut) {
    auto windows = TokenWindows::open({a, b}, TokenType::Text, shape);
    EXPECT_TRUE(windows.ok()) << windows.status().message();
    EXPECT_EQ(windows->leftOut(), leftOut);
    std::string text;
    for (uint64_t i = 0; i < windows->size(); ++i) {
      auto [file, first] = (*windows)[i];
      uint32_t token = 0;
      EXPECT_TRUE(file->read(first, std::span(&token, 1)).ok());
      text += char(token);
    }
    return text;
  };
  // Windows of 4 and a label more: 9 and 4 tokens are predicted.
  EXPECT_EQ(starts({4, 4, true, true}, 0), "048a");
  EXPECT_EQ(starts({4, 4, true, false}, 1), "04a");
  // Windows of 4 that predict the last 3 of them.
  EXPECT_EQ(starts({4, 3, false, true}, 0), "036ad");
  EXPECT_EQ(starts({4, 3, false, false}, 1), "036a");
  // No labels.
  EXPECT_EQ(starts({5, 5, false, false}, 0), "05a");
  EXPECT_EQ(starts({4, 4, false, false}, 3), "04a");
  EXPECT_EQ(starts({1, 1, true, true}, 0), "012345678abcd");

  auto matched = TokenWindows::open({directory.file("?.txt"), a},
                                    TokenType::Text, {4, 4, true, true});
  ASSERT_TRUE(matched.ok());
  std::string names;
  for (uint64_t i = 0; i < matched->size(); ++i)
    names += (*matched)[i].file->path().substr(directory.file("").size());
  EXPECT_EQ(names, "a.txta.txta.txtb.txta.txta.txta.txt");

  EXPECT_EQ(TokenWindows::open({a, b}, TokenType::Text, {5, 5, true, true})
                .status()
                .message(),
            "'" + b +
                "' holds 5 tokens, and a window takes 6, of which the last is "
                "only a label; join it with other text, or compile for shorter "
                "sequences");
  EXPECT_FALSE(TokenWindows::open({write("empty", "")}, TokenType::Text,
                                  {1, 1, false, false})
                   .ok());
}

// A file that shrinks after it was opened is an error where it is read, in any
// thread, and what is still there can be read.
TEST_F(DataTest, TruncatedWhileMapped) {
  std::string path = write("t.bin", std::string(5 * 4096, 'a'));
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  std::filesystem::resize_file(path, 4096);
  std::string expected = "'" + path +
                         "' cannot be read any more: it was "
                         "truncated after it was opened, or its disk fails";
  auto readPage = [&](size_t page) {
    std::byte bytes[4096];
    return (*file)->copy(bytes, (*file)->bytes().subspan(page * 4096, 4096));
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(readPage(0).ok());
    Status status = readPage(3);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.message(), expected);
  }
  std::thread([&] { EXPECT_FALSE(readPage(2).ok()); }).join();
  EXPECT_EQ((*file)->checkUnchanged().message(),
            "'" + path +
                "' was written to after it was opened; data that a "
                "run reads must stay as it is");
}

// Whatever else raises the signal still ends the process.
TEST_F(DataTest, OtherFaultsStayFatal) {
  std::string path = write("t.bin", std::string(2 * 4096, 'a'));
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  std::byte first;
  ASSERT_TRUE((*file)->copy(&first, (*file)->bytes().first(1)).ok());
  std::filesystem::resize_file(path, 0);
  EXPECT_DEATH(
      (void)*const_cast<const volatile std::byte *>(&(*file)->bytes()[4096]),
      "");
}

TEST_F(DataTest, ReplacedFilesStayReadable) {
  std::string path = write("t.bin", "old");
  Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  std::filesystem::rename(write("new.bin", "newer"), path);
  EXPECT_TRUE((*file)->checkUnchanged().ok());
  std::filesystem::remove(path);
  EXPECT_TRUE((*file)->checkUnchanged().ok());
  EXPECT_EQ(char((*file)->bytes()[2]), 'd');
}

TEST_F(DataTest, Patterns) {
  for (const char *name : {"b10.bin", "b2.bin", "B1.bin", "x.npz", "a[1].bin"})
    write(name, "1234");
  std::filesystem::create_directory(directory.file("d.bin"));
  auto names = [&](const Result<std::vector<std::string>> &paths) {
    std::string all;
    for (const std::string &path : *paths)
      all += path.substr(directory.file("").size()) + " ";
    return all;
  };
  // By the bytes of the names, whatever the locale.
  EXPECT_EQ(names(expandPattern(directory.file("?*[0-9].bin"))),
            "B1.bin b10.bin b2.bin ");
  EXPECT_EQ(names(expandPattern(directory.file("a[1].bin"))), "a[1].bin ");
  EXPECT_EQ(names(expandPattern(directory.file("none.bin"))), "none.bin ");
  EXPECT_EQ(names(expandLocation(directory.file("*.npz:x:y"))), "x.npz:x:y ");
  std::string none = directory.file("*.none");
  EXPECT_EQ(expandPattern(none).status().message(),
            "no file matches '" + none + "'");
  std::string folder = directory.file("d.bin");
  EXPECT_EQ(MappedFile::open(folder).status().message(),
            "'" + folder + "' is a directory; name the files in it, as in '" +
                folder + "/*'");
}

} // namespace
