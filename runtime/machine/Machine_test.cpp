#include "runtime/machine/Machine.h"
#include "runtime/machine/WriteMachine.h"
#include "runtime/testing/Files.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;

namespace {

Machine example() {
  Machine machine;
  machine.name = "two levels";
  machine.source = "made up";
  machine.device = {.flops64 = 1e12,
                    .flops32 = 2e12,
                    .flops16 = 4e12,
                    .vectorFlops = 5e11,
                    .memoryBandwidth = 1e11,
                    .memoryBytes = uint64_t(1) << 36,
                    .launchLatency = 2e-6,
                    .computeShare = 0.5,
                    .isShared = true};
  machine.efficiency = {0.8, 0.7, 0.9, 0.6};
  machine.levels = {{"node", 8, 1e-6, 3e11}, {"network", 1024, 5e-6, 2.5e10}};
  machine.storage = {1e-5, 2e10};
  return machine;
}

/// The example's text with something replaced.
std::string forge(const std::string &from, const std::string &to) {
  std::string text = printMachine(example());
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string errorOf(const std::string &text) {
  Result<Machine> machine = parseMachine(text, "m.json");
  return machine.ok() ? "" : machine.status().message();
}

/// A message says what it must, and begins with a place in the file.
void expectError(const std::string &text, const std::string &part) {
  std::string message = errorOf(text);
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_TRUE(message.starts_with("m.json:")) << message;
}

TEST(Machine, ComesBackAsItWasWritten) {
  TemporaryDirectory directory;
  std::string path = directory.file("machine.json");
  ASSERT_TRUE(writeMachine(example(), path).ok());
  Result<Machine> read = readMachine(path);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(printMachine(*read), printMachine(example()));
  EXPECT_EQ(read->device.flops16, 4e12);
  EXPECT_EQ(read->device.memoryBytes, uint64_t(1) << 36);
  EXPECT_TRUE(read->device.isShared);
  EXPECT_EQ(read->efficiency.link, 0.6);
  EXPECT_EQ(read->levels[1].name, "network");
  EXPECT_EQ(read->storage.bandwidth, 2e10);
}

TEST(Machine, EfficiencyIsWholeWhereNoneIsGiven) {
  std::string text = printMachine(example());
  size_t begin = text.find("  \"efficiency\""), end = text.find("  \"levels\"");
  Result<Machine> read = parseMachine(text.erase(begin, end - begin), "m.json");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->efficiency.contraction, 1);
}

TEST(Machine, ACacheHasBothFiguresOrNone) {
  Machine machine = example();
  machine.device.cacheBytes = 1 << 25;
  machine.device.cacheBandwidth = 5e11;
  std::string text = printMachine(machine);
  Result<Machine> read = parseMachine(text, "m.json");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->device.cacheBytes, 1u << 25);
  EXPECT_EQ(read->device.cacheBandwidth, 5e11);
  expectError(forge("\"shared\"", "\"cache_bytes\": 5, \"shared\""),
              "(/device): the key 'cache_bandwidth' is missing: bytes/s");
  expectError(forge("\"shared\"", "\"cache_bandwidth\": 5, \"shared\""),
              "(/device): the key 'cache_bytes' is missing");
  expectError(forge("\"shared\"", "\"cache_bandwidth\": 5, "
                                  "\"cache_bytes\": 0.5, \"shared\""),
              "(/device/cache_bytes): expected a whole number from 1");
}

TEST(Machine, TakesComments) {
  EXPECT_EQ(errorOf(forge("{", "{ // figures of a vendor\n")), "");
}

TEST(Machine, LocatesWhatIsMissing) {
  std::string text = printMachine(example());
  size_t begin = text.find("  \"levels\""), end = text.find("  \"storage\"");
  std::string without = text;
  expectError(without.erase(begin, end - begin),
              "m.json:1:1: the key 'levels' is missing: a list of 1 to 16 "
              "levels of links");
  size_t open = text.find('[', begin);
  std::string empty = text;
  empty.replace(open, text.find(']', open) + 1 - open, "[]");
  expectError(empty, "(/levels): expected a list of 1 to 16 levels of links");
  expectError(forge("\"ranks\": 8,", ""),
              "(/levels/0): the key 'ranks' is missing");
  expectError(forge("\"bandwidth\": 300000000000.0", "\"latency2\": 1"),
              "(/levels/0): the key 'bandwidth' is missing: bytes/s");
  for (const char *key :
       {"f64", "f32", "f16", "vector_flops", "memory_bandwidth",
        "launch_latency", "compute_share", "memory_bytes", "device", "storage",
        "name", "source", "latency"})
    expectError(forge(concat("\"", key, "\""), "\"other\""),
                concat("the key '", key, "' is missing"));
  expectError("{}", "m.json:1:1: the key 'device' is missing");
}

TEST(Machine, LocatesUnknownKeys) {
  expectError(forge("\"vector_flops\"", "\"vectorflops\""),
              "(/device/vectorflops): unknown key; did you mean "
              "'vector_flops'?");
  expectError(forge("\"name\"", "\"links\": 1, \"name\""),
              "(/links): unknown key");
  expectError(forge("\"link\"", "\"lnk\""),
              "(/efficiency/lnk): unknown key; did you mean 'link'?");
}

TEST(Machine, LocatesFiguresThatCannotBe) {
  for (const char *value :
       {"0", "-1", "-3e11", "1e19", "null", "true", "\"3e11\"", "[]", "{}"})
    expectError(
        forge("300000000000.0", value),
        "(/levels/0/bandwidth): expected bytes/s, from 1 to 1e18, not ");
  expectError(forge("100000000000.0", "-5"),
              "(/device/memory_bandwidth): expected bytes/s, from 1 to 1e18, "
              "not the number -5");
  expectError(forge("\"compute_share\": 0.5", "\"compute_share\": 1.5"),
              "(/device/compute_share): expected a share, from 0 to 1");
  expectError(forge("\"shared\": true", "\"shared\": 1"),
              "(/device/shared): expected true or false, not the number 1");
  expectError(forge("\"link\": 0.6", "\"link\": 0"),
              "(/efficiency/link): expected a share");
  expectError(forge("\"f32\": 2000000000000.0", "\"f32\": 0"),
              "(/device/flops/f32): expected FLOP/s");
  expectError(forge("1e-06", "-1e-06"),
              "(/levels/0/latency): expected seconds, from 0 to 1000");
  for (const char *value : {"0", "1", "-8", "8.5", "2e6", "\"8\"", "1e300"})
    expectError(forge("\"ranks\": 8", concat("\"ranks\": ", value)),
                "(/levels/0/ranks): expected a whole number from 2 to 1048576");
  expectError(forge("68719476736", "-1"),
              "(/device/memory_bytes): expected a whole number from 1");
  // JSON knows neither.
  expectError(forge("300000000000.0", "NaN"), "invalid literal");
  expectError(forge("300000000000.0", "1e999"), "number overflow");
}

TEST(Machine, LocatesLevelsOutOfOrder) {
  for (const char *ranks : {"4", "8"})
    expectError(forge("1024", ranks),
                concat("(/levels/1/ranks): levels are out of order: expected "
                       "more than the 8 ranks of the level before, not ",
                       ranks));
}

TEST(Machine, TellsAllAtOnce) {
  std::string message =
      errorOf("{\"name\": 5,\n \"levels\": [7],\n \"device\": []}");
  for (const char *part :
       {"m.json:1:2 (/name): expected a name, not the number 5",
        "m.json:2:13 (/levels/0): expected an object",
        "m.json:3:2 (/device): expected an object, not a list of 0",
        "m.json:1:1: the key 'storage' is missing"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Machine, RefusesEveryCut) {
  std::string text = printMachine(example());
  text.pop_back(); // A line's end.
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_TRUE(errorOf(text.substr(0, size)).starts_with("m.json:")) << size;
  EXPECT_EQ(errorOf("[1]").substr(0, 12), "m.json:1:1: ");
}

TEST(Machine, NamesAFileThatIsNone) {
  TemporaryDirectory directory;
  Result<Machine> read = readMachine(directory.file("none.json"));
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.status().message().find("none.json"), std::string::npos);
  EXPECT_FALSE(readMachine(directory.file("")).ok());
}

TEST(Machine, RefusesMoreRanksThanItJoins) {
  Result<Machine> read = parseMachine(printMachine(example()), "m.json");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->checkRanks(1024).ok());
  Status status = read->checkRanks(1025);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("(/levels/1/ranks): the level 'network' "
                                  "joins 1024 ranks, and 1025 are asked for"),
            std::string::npos)
      << status.message();
}

TEST(Machine, WritesNothingThatNobodyReads) {
  TemporaryDirectory directory;
  for (double figure : {0.0, -1.0, double(NAN), double(INFINITY)}) {
    Machine machine = example();
    machine.levels[0].bandwidth = figure;
    EXPECT_FALSE(writeMachine(machine, directory.file("m.json")).ok());
  }
  EXPECT_FALSE(std::filesystem::exists(directory.file("m.json")));
  EXPECT_FALSE(writeMachine(example(), directory.file("no/m.json")).ok());
}

} // namespace
