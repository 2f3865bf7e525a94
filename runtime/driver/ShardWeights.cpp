#include "runtime/driver/ShardWeights.h"

#include <algorithm>
#include <charconv>

using namespace dsc::runtime;

Result<std::vector<uint32_t>>
dsc::runtime::parseShardWeights(const std::string &text) {
  std::vector<uint32_t> weights;
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    const char *comma = std::find(at, end, ',');
    uint32_t weight;
    auto [stop, error] = std::from_chars(at, comma, weight);
    if (error != std::errc() || stop != comma)
      return usageError("'", std::string(at, comma), "', the weight of rank ",
                        weights.size(), ", is not a whole number from 0 to ",
                        UINT32_MAX);
    weights.push_back(weight);
    if (comma == end)
      break;
    at = comma + 1;
  }
  if (std::all_of(weights.begin(), weights.end(),
                  [](uint32_t weight) { return weight == 0; }))
    return usageError("'", text,
                      "': all weights are 0, so no rank would own "
                      "anything");
  return weights;
}

Status dsc::runtime::applyShardWeights(RunOptions &options) {
  const size_t count = options.shardWeights.size();
  if (count == 0)
    return {};
  if (options.given.contains("n") && options.ranks != count)
    return usageError(
        "--shard-weights=", options.given.at("shard-weights").value, " has ",
        count, count == 1 ? " weight" : " weights",
        ", one for each rank, and -n is ", options.ranks);
  options.ranks = count;
  return {};
}
