// The files of a checkpoint, without a session.

#include "runtime/data/CheckpointFolder.h"
#include "runtime/data/CheckpointReader.h"
#include "runtime/data/Crc32.h"
#include "runtime/testing/Files.h"

#include <gtest/gtest.h>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;
namespace fs = std::filesystem;

namespace {

uint32_t crcOf(const std::string &text) {
  return crc32Of(std::as_bytes(std::span(text)));
}

/// Two parts: a cut matrix of six floats, and a scalar.
CheckpointManifest example() {
  CheckpointManifest manifest;
  manifest.writerVersion = "0.1.0";
  manifest.model = "00000000";
  manifest.step = 7;
  manifest.seed = UINT64_MAX;
  manifest.position = {1, 20, 3};
  manifest.ranks = 2;
  manifest.stage = 3;
  manifest.files = {{checkpointPartName(0, 2), 8 + 8 + 16, 1, 8, 2},
                    {checkpointPartName(1, 2), 8 + 8, 3, 8, 4}};
  manifest.tensors = {{"w",
                       "parameter",
                       "",
                       ElementType::F32,
                       {3, 2},
                       {{0, 16, 0, 4, 5}, {1, 8, 4, 6, 6}}},
                      {"dsc.steps",
                       "scalar",
                       "counter",
                       ElementType::I64,
                       {},
                       {{0, 8, 0, 1, 7}}}};
  return manifest;
}

/// The text with something replaced, and its checksum made right again.
std::string forge(std::string text, const std::string &from,
                  const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::string body = text.substr(0, text.rfind("\"crc32\""));
  char line[32];
  std::snprintf(line, sizeof(line), "\"crc32\":\"%08x\"}\n", crcOf(body));
  return body + line;
}

std::string parseError(const std::string &text) {
  auto parsed = parseCheckpointManifest(text);
  return parsed.ok() ? "" : parsed.status().message();
}

TEST(CheckpointManifest, ComesBackAsItWasPrinted) {
  std::string text = printCheckpointManifest(example());
  auto parsed = parseCheckpointManifest(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(printCheckpointManifest(*parsed), text);
  EXPECT_EQ(parsed->seed, UINT64_MAX);
  EXPECT_EQ(parsed->find("w")->elements(), 6u);
  EXPECT_EQ(parsed->find("x"), nullptr);
}

TEST(CheckpointManifest, KnowsEveryFlipAndCut) {
  std::string text = printCheckpointManifest(example());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string flipped = text;
    flipped[i] ^= 1 << (i % 7);
    EXPECT_NE(parseError(flipped), "") << i;
    EXPECT_NE(parseError(text.substr(0, i)), "") << i;
  }
}

// What is inconsistent is refused even where the checksum is right.
TEST(CheckpointManifest, RefusesWhatCannotBe) {
  const char *const kHuge = "18446744073709551615";
  struct Case {
    std::string from, to, message;
  } cases[] = {
      {"\"version\":1", "\"version\":2", "version: is 2"},
      {"dsc-checkpoint", "zip", "format: is not dsc-checkpoint"},
      {"\"step\":7", "\"step\":-7", "step: is not a number from 0 on"},
      {"\"ranks\":2", "\"ranks\":3",
       "files[0].name: is not part-00000-of-0000"},
      {"\"ranks\":2", concat("\"ranks\":", kHuge), "ranks: is 184467440737"},
      {"part-00001-of-00002.safetensors", "../../../../etc/passwd",
       "files[1].name: is not part-00001"},
      {"\"bytes\":16", "\"bytes\":17", "files[1]: is not covered"},
      {"\"header_bytes\":8", "\"header_bytes\":99",
       "is more than the file has"},
      {"\"shape\":[3,2]", "\"shape\":[3,3]", "tensors[0].pieces: do not cover"},
      {"\"shape\":[3,2]", "\"shape\":[2,2]", "does not follow the piece"},
      {"\"shape\":[3,2]", "\"shape\":[4294967296,4294967296,3]",
       "tensors[0].shape: the shape [4294967296, 4294967296, 3] is not"},
      {"\"shape\":[3,2]", concat("\"shape\":[", kHuge, "]"),
       "tensors[0].shape[0]: is 184467440737"},
      {"\"begin\":4", "\"begin\":3", "tensors[0].pieces[1]: does not follow"},
      {"\"offset\":16", concat("\"offset\":", kHuge),
       "tensors[0].pieces[0]: lies outside its file"},
      {"\"offset\":16", "\"offset\":8", "files[0]: is not covered"},
      {"\"file\":1", "\"file\":2",
       "tensors[0].pieces[1].file: is 2, not below"},
      {"\"crc32\":\"00000005\"", "\"crc32\":\"5\"", "is not 8 hexadecimal"},
      {"\"type\":\"f32\"", "\"type\":\"f8\"", "'f8' is not an element type"},
      {"\"dsc.steps\"", "\"w\"", "tensors[1].name: is there twice"},
      {"\"position\":{", "\"position\":[{", ""},
      {"\"seed\"", "\"seeds\"", "seed: is missing"}};
  std::string text = printCheckpointManifest(example());
  for (const Case &one : cases) {
    std::string error = parseError(forge(text, one.from, one.to));
    EXPECT_NE(error, "") << one.to;
    EXPECT_NE(error.find(one.message), std::string::npos)
        << one.to << ": " << error;
  }
  EXPECT_EQ(parseError(""), "it has no checksum");
}

TEST(CheckpointFolder, NamesAreSortedByStep) {
  EXPECT_EQ(checkpointSetName(1000), "step-00001000");
  EXPECT_EQ(checkpointSetName(123456789012), "step-123456789012");
  for (const char *name :
       {"step-1000", "step-", "step-0000100x", "step-00000100 ",
        ".step-00000100.tmp", "step-00000100.damaged",
        "step-99999999999999999999999"})
    EXPECT_FALSE(checkpointStepOf(name)) << name;

  TemporaryDirectory directory;
  for (uint64_t step : {5ull, 100000000ull, 99999999ull})
    fs::create_directory(directory.file(checkpointSetName(step)));
  // The clock went back: the oldest set has the latest time.
  fs::last_write_time(directory.file(checkpointSetName(5)),
                      fs::file_time_type::clock::now() + std::chrono::hours(9));
  auto steps = listCheckpoints(directory.file(""));
  ASSERT_TRUE(steps.ok());
  EXPECT_EQ(*steps, (std::vector<uint64_t>{100000000, 99999999, 5}));
  EXPECT_NE(listCheckpoints(directory.file("none"))
                .status()
                .message()
                .find("No such file"),
            std::string::npos);
}

TEST(CheckpointFolder, HasOneOwner) {
  TemporaryDirectory directory;
  std::string path = directory.file("a/b");
  fs::create_directories(path + "/.step-00000003.tmp");
  {
    auto first = CheckpointFolder::open(path);
    ASSERT_TRUE(first.ok()) << first.status().message();
    EXPECT_FALSE(fs::exists(path + "/.step-00000003.tmp"));
    // Not what its owner is writing.
    fs::create_directories(path + "/.step-00000004.tmp");
    auto second = CheckpointFolder::open(path);
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.status().message().find(concat("another run saves to '",
                                                    path, "': process ",
                                                    ::getpid(), " on ")),
              0u)
        << second.status().message();
    EXPECT_TRUE(fs::exists(path + "/.step-00000004.tmp"));
  }
  EXPECT_TRUE(CheckpointFolder::open(path).ok());

  writeText(directory.file("file"), "");
  auto inFile = CheckpointFolder::open(directory.file("file/x"));
  EXPECT_EQ(inFile.status().message(), "cannot create '" +
                                           directory.file("file/x") +
                                           "': Not a directory");
}

TEST(CheckpointFolder, PublishesPrunesAndPutsAway) {
  TemporaryDirectory directory;
  std::string path = directory.file("sets");
  auto folder = CheckpointFolder::open(path);
  ASSERT_TRUE(folder.ok());
  for (uint64_t step : {1, 2, 3, 4}) {
    std::string aside = path + "/" + checkpointAsideName(step);
    fs::create_directory(aside);
    writeText(aside + "/manifest.json", "");
    ASSERT_TRUE(folder->publish(step).ok());
  }
  ASSERT_TRUE(folder->prune(3).ok());
  EXPECT_EQ(*listCheckpoints(path), (std::vector<uint64_t>{4, 3, 2}));
  ASSERT_TRUE(folder->putAway(4).ok());
  fs::create_directory(path + "/step-00000004");
  ASSERT_TRUE(folder->putAway(4).ok());
  EXPECT_TRUE(fs::exists(path + "/step-00000004.damaged/manifest.json"));
  EXPECT_TRUE(fs::exists(path + "/step-00000004.damaged-2"));
  ASSERT_TRUE(folder->prune(1).ok());
  EXPECT_EQ(*listCheckpoints(path), std::vector<uint64_t>{3});
}

} // namespace
