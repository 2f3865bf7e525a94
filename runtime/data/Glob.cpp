#include "runtime/data/Glob.h"
#include "runtime/data/Array.h"

#include <algorithm>
#include <glob.h>
#include <unistd.h>

using namespace dsc::runtime;

Result<std::vector<std::string>>
dsc::runtime::expandPattern(const std::string &pattern) {
  if (pattern.find_first_of("*?[") == std::string::npos ||
      access(pattern.c_str(), F_OK) == 0)
    return std::vector<std::string>{pattern};
  glob_t found{};
  int code = glob(pattern.c_str(), GLOB_ERR | GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths(found.gl_pathv,
                                 found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (code == GLOB_NOMATCH)
    return inputError("no file matches '", pattern, "'");
  if (code != 0)
    return inputError("cannot list the files of '", pattern, "': ",
                      code == GLOB_NOSPACE ? "out of memory"
                                           : "a folder is not readable");
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<std::vector<std::string>>
dsc::runtime::expandLocation(const std::string &location) {
  ArrayLocation parts = splitLocation(location);
  DSC_ASSIGN(std::vector<std::string> paths, expandPattern(parts.path));
  if (!parts.key.empty())
    for (std::string &path : paths)
      path += ":" + parts.key;
  return paths;
}
