#include "runtime/monitor/TensorBoard.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <unistd.h>

using namespace dsc::runtime;

namespace {

constexpr std::string_view kPrefix = "events.out.tfevents.";

/// Seconds in the name of the folder's new file. TensorBoard reads files in the
/// order of their names, so it comes after those that are there, whatever the
/// clock says.
uint64_t timeForName(const std::string &directory, std::error_code &error) {
  uint64_t time = std::max<std::time_t>(std::time(nullptr), 0);
  for (const auto &entry :
       std::filesystem::directory_iterator(directory, error)) {
    std::string name = entry.path().filename();
    uint64_t other = 0;
    if (name.starts_with(kPrefix))
      std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(),
                      other);
    constexpr uint64_t kTenDigits = 9'999'999'999;
    if (other >= time && other < kTenDigits)
      time = other + 1;
  }
  return time;
}

} // namespace

Result<std::unique_ptr<TensorBoard>>
TensorBoard::open(const std::string &directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  uint64_t time = error ? 0 : timeForName(directory, error);
  if (error)
    return inputError("cannot write into '", directory, "': ", error.message());
  char host[256] = "localhost";
  gethostname(host, sizeof(host) - 1);
  char digits[24];
  std::snprintf(digits, sizeof(digits), "%010llu", (unsigned long long)time);
  std::string path =
      concat(directory, "/", kPrefix, digits, ".", host, ".", getpid(), ".0");
  DSC_ASSIGN(EventFile events, EventFile::create(path));
  return std::unique_ptr<TensorBoard>(new TensorBoard(path, std::move(events)));
}

TensorBoard::~TensorBoard() {
  if (!isStarted) // The run failed before it had anything to say.
    ::unlink(path.c_str());
}

Status TensorBoard::onStart(uint64_t, uint64_t samples) {
  isStarted = true;
  return events.writeRestart(samples + 1);
}
