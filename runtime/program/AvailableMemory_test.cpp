#include "runtime/program/AvailableMemory.h"
#include "runtime/testing/Files.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace dsc::runtime;
using namespace dsc::runtime::testing;

namespace {

constexpr uint64_t kMebibyte = uint64_t(1) << 20;

/// Files as the system would show them.
class AvailableMemoryTest : public ::testing::Test {
protected:
  void write(const std::string &path, const std::string &text) {
    std::filesystem::path file = folder.file(path.substr(1));
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  MemoryBound machine() {
    return readAvailableMemory(folder.file(".")).machine;
  }

  TemporaryDirectory folder;
};

TEST_F(AvailableMemoryTest, TheMachineSaysWhatIsAvailable) {
  write("/proc/meminfo", "MemTotal:  9000 kB\nMemFree: 10 kB\n"
                         "MemAvailable:    4096 kB\nBuffers: 7 kB\n");
  EXPECT_EQ(machine().bytes, 4 * kMebibyte);
  EXPECT_EQ(machine().text, "this machine has 4 MiB available");
}

TEST_F(AvailableMemoryTest, WithoutFilesThereIsNoBound) {
  EXPECT_EQ(machine().bytes, UINT64_MAX);
}

TEST_F(AvailableMemoryTest, AControlGroupLeavesLess) {
  write("/proc/meminfo", "MemAvailable: 102400 kB\n");
  write("/proc/self/cgroup", "0::/jobs/7\n");
  const std::string group = "/sys/fs/cgroup/jobs/7/";
  write(group + "memory.max", "max\n");
  write(group + "memory.current", "5\n");
  EXPECT_EQ(machine().bytes, 100 * kMebibyte);
  // Cached files do not count.
  write(group + "memory.max", std::to_string(50 * kMebibyte) + "\n");
  write(group + "memory.current", std::to_string(20 * kMebibyte) + "\n");
  write(group + "memory.stat", "anon 17\ninactive_file 5242880\nfile 3\n");
  EXPECT_EQ(machine().bytes, 35 * kMebibyte);
  EXPECT_EQ(machine().text,
            "the memory limit of control group /jobs/7 leaves 35 MiB");
  // A group around it may leave less, even nothing.
  write("/sys/fs/cgroup/jobs/memory.max", "1000\n");
  write("/sys/fs/cgroup/jobs/memory.current", "2000\n");
  EXPECT_EQ(machine().bytes, 0u);
}

TEST_F(AvailableMemoryTest, AContainerIsTheRootOfWhatItSees) {
  write("/proc/self/cgroup", "0::/../../docker/abc\n");
  write("/sys/fs/cgroup/memory.max", "8388608\n");
  write("/sys/fs/cgroup/memory.current", "0\n");
  EXPECT_EQ(machine().bytes, 8 * kMebibyte);
}

TEST_F(AvailableMemoryTest, ControlGroupsOfVersion1) {
  write("/proc/self/cgroup", "5:cpu,cpuacct:/a\n9:memory:/b\nbroken\n");
  write("/sys/fs/cgroup/memory/b/memory.limit_in_bytes", "8388608\n");
  write("/sys/fs/cgroup/memory/b/memory.usage_in_bytes", "6291456\n");
  write("/sys/fs/cgroup/memory/b/memory.stat", "total_inactive_file 1048576\n");
  EXPECT_EQ(machine().bytes, 3 * kMebibyte);
}

TEST_F(AvailableMemoryTest, LimitsOfTheProcess) {
  const std::string root = folder.file(".");
  write("/proc/self/status", "Name:\tx\nVmSize:\t    2048 kB\n");
  rlimit before, limit;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  if (before.rlim_max < uint64_t(1) << 46)
    GTEST_SKIP() << "address space is limited";
  limit = before;
  limit.rlim_cur = uint64_t(1) << 46; // More than any sanitizer maps.
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  MemoryBound bound = readAvailableMemory(root).process;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(bound.bytes, (uint64_t(1) << 46) - 2 * kMebibyte);
  EXPECT_EQ(bound.text,
            "the limit of address space (ulimit -v) leaves 67108862 MiB");
}

} // namespace
