#include "runtime/monitor/Truncate.h"

#include <cerrno>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace dsc::runtime;

Status dsc::runtime::truncateAfter(
    const std::string &path, int file,
    const std::function<bool(std::string_view)> &isKept) {
  struct stat status;
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size == 0)
    return {};
  std::ifstream lines(path, std::ios::binary);
  if (!lines)
    return inputError("cannot read '", path,
                      "' to go on with it: ", errnoText(errno));
  off_t kept = 0;
  // A line that ends with the file, without a newline, sets eof.
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    if (!isKept(line))
      break;
    kept += line.size() + 1;
  }
  if (::ftruncate(file, kept) != 0)
    return inputError("cannot write '", path, "': ", errnoText(errno));
  return {};
}
