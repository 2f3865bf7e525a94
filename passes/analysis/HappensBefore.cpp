#include "passes/analysis/HappensBefore.h"

#include <algorithm>

using namespace dsc;

HappensBefore::HappensBefore(unsigned streams)
    : streams(streams, Clock(streams, 0)) {}

Point HappensBefore::issue(unsigned stream) {
  Clock &clock = streams[stream];
  Point point{stream, clock[stream], clock};
  ++clock[stream];
  return point;
}

bool HappensBefore::record(unsigned stream, int64_t event) {
  return events.try_emplace(event, streams[stream]).second;
}

bool HappensBefore::wait(unsigned stream, int64_t event) {
  auto it = events.find(event);
  if (it == events.end())
    return false;
  for (auto [mine, theirs] : llvm::zip_equal(streams[stream], it->second))
    mine = std::max(mine, theirs);
  return true;
}
