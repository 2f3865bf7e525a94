#include "runtime/checkpoint/Agreement.h"

#include <algorithm>
#include <numeric>

using namespace dsc::runtime;

Result<std::vector<std::string>>
dsc::runtime::gatherStrings(Channel &channel, const std::string &mine) {
  std::vector<uint64_t> sizes(channel.size());
  uint64_t size = mine.size();
  DSC_RETURN_IF_ERROR(channel.allGather(&size, sizes.data(), sizeof(size)));
  std::string all(std::reduce(sizes.begin(), sizes.end()), '\0');
  DSC_RETURN_IF_ERROR(channel.allGather(mine.data(), all.data(), sizes));
  std::vector<std::string> strings;
  uint64_t begin = 0;
  for (uint64_t bytes : sizes) {
    strings.push_back(all.substr(begin, bytes));
    begin += bytes;
  }
  return strings;
}

Status dsc::runtime::agree(Channel &channel, const Status &mine) {
  // The kind as a digit, and the message.
  std::string text =
      mine.ok() ? "0" : std::to_string(int(mine.kind())) + mine.message();
  DSC_ASSIGN(std::vector<std::string> all, gatherStrings(channel, text));
  auto first = std::find_if(all.begin(), all.end(),
                            [](const auto &other) { return other != "0"; });
  if (first == all.end())
    return {};
  Status failure(ErrorKind(first->front() - '0'), first->substr(1));
  bool isCommon =
      std::count(all.begin(), all.end(), *first) == ptrdiff_t(all.size());
  return isCommon ? failure : failure.in(concat("rank ", first - all.begin()));
}
