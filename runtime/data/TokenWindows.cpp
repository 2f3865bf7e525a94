#include "runtime/data/TokenWindows.h"
#include "runtime/data/Glob.h"

#include <algorithm>

using namespace dsc::runtime;

Result<TokenWindows>
TokenWindows::open(const std::vector<std::string> &patterns, TokenType type,
                   const WindowShape &shape) {
  TokenWindows windows(shape);
  for (const std::string &pattern : patterns) {
    DSC_ASSIGN(std::vector<std::string> paths, expandPattern(pattern));
    for (const std::string &path : paths) {
      DSC_ASSIGN(TokenFile file, TokenFile::open(path, type));
      DSC_RETURN_IF_ERROR(windows.addFile(std::move(file)));
    }
  }
  return windows;
}

Status TokenWindows::addFile(TokenFile file) {
  uint64_t needed = shape.length + shape.followed;
  if (file.size() < needed)
    return inputError("'", file.path(), "' holds ", file.size(),
                      " tokens, and a window takes ", needed,
                      shape.followed ? ", of which the last is only a label"
                                     : "",
                      "; join it with other text, or compile for shorter "
                      "sequences");
  uint64_t count = (file.size() - needed) / shape.stride + 1;
  uint64_t rest = file.size() - needed - (count - 1) * shape.stride;
  if (rest && shape.takesShort)
    ++count;
  else
    leftOutTokens += rest;
  ends.push_back(size() + count);
  files.push_back(std::move(file));
  return {};
}

TokenWindows::Window TokenWindows::operator[](uint64_t index) const {
  size_t file =
      std::upper_bound(ends.begin(), ends.end(), index) - ends.begin();
  uint64_t before = file ? ends[file - 1] : 0;
  return {&files[file], (index - before) * shape.stride};
}
