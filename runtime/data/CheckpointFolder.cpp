#include "runtime/data/CheckpointFolder.h"
#include "runtime/data/DurableFile.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <sys/file.h>
#include <unistd.h>

using namespace dsc::runtime;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSet = "step-", kAside = ".step-", kTmp = ".tmp";

std::string numbered(std::string_view prefix, uint64_t step) {
  std::string digits = std::to_string(step);
  digits.insert(0, 8 - std::min<size_t>(digits.size(), 8), '0');
  return std::string(prefix) + digits;
}

/// Calls `visit` for each name in a folder.
Status forEachName(const std::string &folder,
                   const std::function<void(const std::string &)> &visit) {
  std::error_code error;
  fs::directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error))
    visit(entry->path().filename());
  if (error)
    return inputError("cannot read the folder '", folder,
                      "': ", error.message());
  return {};
}

Status renamePath(const std::string &from, const std::string &to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    return inputError("cannot rename '", from, "' to '", to,
                      "': ", errnoText(errno));
  return {};
}

Status removeTree(const std::string &path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error)
    return inputError("cannot remove '", path, "': ", error.message());
  return {};
}

std::string readHolder(int lock) {
  char text[256];
  ssize_t bytes = ::pread(lock, text, sizeof(text), 0);
  std::string holder(text, std::max<ssize_t>(bytes, 0));
  while (!holder.empty() && holder.back() == '\n')
    holder.pop_back();
  return holder.empty() ? "another run" : holder;
}

/// Notes in the locked file who holds it, for the message of another run.
void writeHolder(int lock) {
  char host[256] = "";
  ::gethostname(host, sizeof(host) - 1);
  std::string holder = concat("process ", ::getpid(), " on ", host, "\n");
  if (::ftruncate(lock, 0) != 0 ||
      ::pwrite(lock, holder.data(), holder.size(), 0) < 0)
    return; // The lock holds all the same.
}

} // namespace

std::string dsc::runtime::checkpointSetName(uint64_t step) {
  return numbered(kSet, step);
}

std::string dsc::runtime::checkpointAsideName(uint64_t step) {
  return numbered(kAside, step) + std::string(kTmp);
}

std::optional<uint64_t>
dsc::runtime::checkpointStepOf(const std::string &name) {
  if (!name.starts_with(kSet))
    return std::nullopt;
  uint64_t step;
  const char *end = name.data() + name.size();
  auto [stop, error] = std::from_chars(name.data() + kSet.size(), end, step);
  // Only the one name that this step has.
  if (error != std::errc() || stop != end || name != checkpointSetName(step))
    return std::nullopt;
  return step;
}

bool dsc::runtime::isCheckpointSet(const std::string &path) {
  std::error_code error;
  return fs::exists(path + "/manifest.json", error);
}

Result<std::vector<uint64_t>>
dsc::runtime::listCheckpoints(const std::string &folder) {
  std::vector<uint64_t> steps;
  DSC_RETURN_IF_ERROR(forEachName(folder, [&](const std::string &name) {
    if (std::optional<uint64_t> step = checkpointStepOf(name))
      steps.push_back(*step);
  }));
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

Result<CheckpointFolder> CheckpointFolder::open(const std::string &path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return inputError("cannot create '", path, "': ", error.message());
  std::string file = path + "/.lock";
  int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0)
    return inputError("cannot write '", file, "': ", errnoText(errno));
  CheckpointFolder folder(path, lock);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return inputError("another run saves to '", path, "': ", readHolder(lock),
                        "; end it, or give this one another folder");
    return inputError("cannot lock '", file, "': ", errnoText(errno));
  }
  writeHolder(lock);
  DSC_RETURN_IF_ERROR(folder.removeStale());
  return folder;
}

CheckpointFolder::CheckpointFolder(CheckpointFolder &&other) noexcept
    : folder(std::move(other.folder)), lock(std::exchange(other.lock, -1)) {}

CheckpointFolder::~CheckpointFolder() {
  if (lock >= 0)
    ::close(lock);
}

Status CheckpointFolder::removeStale() const {
  std::vector<std::string> stale;
  DSC_RETURN_IF_ERROR(forEachName(folder, [&](const std::string &name) {
    if (name.starts_with(kAside) && name.ends_with(kTmp))
      stale.push_back(name);
  }));
  for (const std::string &name : stale)
    DSC_RETURN_IF_ERROR(removeTree(folder + "/" + name));
  return {};
}

Status CheckpointFolder::publish(uint64_t step) const {
  std::string aside = folder + "/" + checkpointAsideName(step);
  DSC_RETURN_IF_ERROR(syncDirectory(aside));
  DSC_RETURN_IF_ERROR(
      renamePath(aside, folder + "/" + checkpointSetName(step)));
  return syncDirectory(folder);
}

Status CheckpointFolder::prune(uint64_t keep) const {
  DSC_ASSIGN(std::vector<uint64_t> steps, listCheckpoints(folder));
  for (size_t i = keep; i < steps.size(); ++i) {
    // Out of sight first, so that nobody finds it half removed.
    std::string aside = folder + "/" + checkpointAsideName(steps[i]);
    DSC_RETURN_IF_ERROR(
        renamePath(folder + "/" + checkpointSetName(steps[i]), aside));
    DSC_RETURN_IF_ERROR(removeTree(aside));
  }
  return {};
}

Status CheckpointFolder::putAway(uint64_t step) const {
  std::string set = folder + "/" + checkpointSetName(step);
  std::string target = set + ".damaged";
  std::error_code error;
  for (int number = 2; fs::exists(target, error); ++number)
    target = concat(set, ".damaged-", number);
  return renamePath(set, target);
}
