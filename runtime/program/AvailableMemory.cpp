#include "runtime/program/AvailableMemory.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/resource.h>

using namespace dsc::runtime;

namespace {

/// The number behind `key` in a file of lines such as `MemAvailable: 5 kB`.
std::optional<uint64_t> readField(const std::string &path,
                                  const std::string &key) {
  std::ifstream file(path);
  std::string name;
  for (uint64_t number; file >> name; file.clear())
    if (std::string rest; name == key && file >> number)
      return number;
    else
      std::getline(file, rest);
  return std::nullopt;
}

/// The number that is all of a file; none if it holds a word, such as `max`.
std::optional<uint64_t> readNumber(const std::string &path) {
  std::ifstream file(path);
  uint64_t number;
  return file >> number ? std::optional(number) : std::nullopt;
}

void tighten(MemoryBound &bound, uint64_t bytes, const std::string &who,
             const std::string &verb) {
  if (bytes < bound.bytes)
    bound = {bytes, concat(who, " ", verb, " ", mebibytes(bytes))};
}

/// Names of a control group's files: of version 2, or of version 1.
struct GroupFiles {
  const char *folder, *limit, *used, *reclaimable;
};
constexpr GroupFiles kVersion2 = {"/sys/fs/cgroup", "memory.max",
                                  "memory.current", "inactive_file"};
constexpr GroupFiles kVersion1 = {
    "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
    "total_inactive_file"};

/// The bound of a group and of all those around it. In a container the path
/// may not be there, and the folder itself is then the group.
void addGroupBounds(const GroupFiles &files, const std::string &root,
                    const std::string &group, MemoryBound &bound) {
  std::filesystem::path path = group;
  for (;; path = path.parent_path()) {
    const std::string folder =
        root + files.folder + (path == "/" ? "" : path.string()) + "/";
    std::optional<uint64_t> limit = readNumber(folder + files.limit);
    std::optional<uint64_t> used = readNumber(folder + files.used);
    if (limit && used) {
      // The system drops cached files before it refuses memory.
      uint64_t cached =
          readField(folder + "memory.stat", files.reclaimable).value_or(0);
      uint64_t held = *used - std::min(*used, cached);
      tighten(bound, *limit - std::min(*limit, held),
              "the memory limit of control group " + path.string(), "leaves");
    }
    if (!path.has_relative_path())
      return;
  }
}

void addGroupBounds(const std::string &root, MemoryBound &bound) {
  // Lines are `ID:CONTROLLERS:PATH`; version 2 has no controllers.
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    std::string controllers =
        "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers == ",,")
      addGroupBounds(kVersion2, root, line.substr(second + 1), bound);
    else if (controllers.find(",memory,") != std::string::npos)
      addGroupBounds(kVersion1, root, line.substr(second + 1), bound);
  }
}

void addLimit(int resource, const std::string &usedField, const char *who,
              const std::string &root, MemoryBound &bound) {
  rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return;
  uint64_t used =
      readField(root + "/proc/self/status", usedField).value_or(0) * 1024;
  tighten(bound, limit.rlim_cur - std::min<uint64_t>(limit.rlim_cur, used), who,
          "leaves");
}

} // namespace

std::string dsc::runtime::mebibytes(uint64_t bytes) {
  return concat(bytes >> 20, " MiB");
}

AvailableMemory dsc::runtime::readAvailableMemory(const std::string &root) {
  AvailableMemory memory;
  if (auto kibibytes = readField(root + "/proc/meminfo", "MemAvailable:"))
    memory.machine = {*kibibytes * 1024,
                      concat("this machine has ", mebibytes(*kibibytes * 1024),
                             " available")};
  addGroupBounds(root, memory.machine);
  addLimit(RLIMIT_AS, "VmSize:", "the limit of address space (ulimit -v)", root,
           memory.process);
  addLimit(RLIMIT_DATA, "VmData:", "the limit of data (ulimit -d)", root,
           memory.process);
  return memory;
}
