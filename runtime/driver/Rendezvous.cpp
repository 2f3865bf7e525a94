#include "runtime/driver/Rendezvous.h"
#include "runtime/data/Crc32.h"

#include <algorithm>
#include <numeric>

using namespace dsc::runtime;

namespace {

/// The texts of all ranks.
Result<std::vector<std::string>> gatherTexts(Channel &channel,
                                             const std::string &text) {
  std::vector<uint64_t> sizes(channel.size());
  uint64_t size = text.size();
  DSC_RETURN_IF_ERROR(channel.allGather(&size, sizes.data(), sizeof(size)));
  std::string all(std::reduce(sizes.begin(), sizes.end()), '\0');
  DSC_RETURN_IF_ERROR(channel.allGather(text.data(), all.data(), sizes));
  std::vector<std::string> texts;
  uint64_t begin = 0;
  for (uint64_t bytes : sizes) {
    texts.push_back(all.substr(begin, bytes));
    begin += bytes;
  }
  return texts;
}

/// The first rank whose text is not that of rank 0, or 0.
uint32_t findOther(const std::vector<std::string> &texts) {
  auto other =
      std::find_if(texts.begin(), texts.end(), [&](const std::string &text) {
        return text != texts.front();
      });
  return other == texts.end() ? 0 : other - texts.begin();
}

/// A line for each collective.
std::string listCollectives(const Manifest &manifest) {
  std::string lines;
  for (const Manifest::Entry &entry : manifest.entries)
    for (const Manifest::Collective &collective : entry.collectives)
      lines += concat(collective.describe(), " in '", entry.name, "', ",
                      collective.bytes, " bytes\n");
  return lines;
}

std::string takeLine(std::string &text) {
  size_t end = std::min(text.find('\n'), text.size());
  std::string line = end ? text.substr(0, end) : "none";
  text.erase(0, end + 1);
  return line;
}

/// Where two lists first differ.
std::string describeDifference(std::string list, std::string other,
                               uint32_t rank) {
  if (list == other)
    return "; their lists of collectives are equal, and plan or options differ";
  for (uint64_t number = 1;; ++number) {
    std::string line = takeLine(list), otherLine = takeLine(other);
    if (line != otherLine)
      return concat("; collective ", number, " of the list is ", line,
                    " for rank 0 and ", otherLine, " for rank ", rank);
  }
}

} // namespace

Status dsc::runtime::meetRanks(Channel &channel, const Manifest &manifest,
                               const std::string &data) {
  const std::string label[] = {"rendezvous"};
  channel.expect(label);
  DSC_ASSIGN(std::vector<std::string> hashes,
             gatherTexts(channel, manifest.hash));
  if (uint32_t other = findOther(hashes)) {
    DSC_ASSIGN(std::vector<std::string> lists,
               gatherTexts(channel, listCollectives(manifest)));
    return inputError("rank ", other, " has another module than rank 0",
                      describeDifference(lists[0], lists[other], other));
  }
  DSC_ASSIGN(std::vector<std::string> described, gatherTexts(channel, data));
  if (uint32_t other = findOther(described))
    return inputError("rank ", other,
                      " has other data than rank 0: ", described[other],
                      ", not ", described[0]);
  channel.expect({});
  return {};
}

Status dsc::runtime::compareRanks(Channel &channel, const std::string &lines) {
  const std::string label[] = {"comparison of ranks"};
  channel.expect(label);
  // The lines themselves only where they differ: of many ranks they are many.
  DSC_ASSIGN(std::vector<std::string> digests,
             gatherTexts(channel, std::to_string(crc32Of(
                                      std::as_bytes(std::span(lines))))));
  Status status;
  if (uint32_t other = findOther(digests)) {
    DSC_ASSIGN(std::vector<std::string> texts, gatherTexts(channel, lines));
    std::string here = texts[0], there = texts[other], line, otherLine;
    while (line == otherLine && !(here + there).empty()) {
      line = takeLine(here);
      otherLine = takeLine(there);
    }
    status = inputError("rank ", other, " has ", otherLine,
                        " where rank 0 has ", line);
  }
  channel.expect({});
  return status;
}
