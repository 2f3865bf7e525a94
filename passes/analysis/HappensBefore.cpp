#include "passes/analysis/HappensBefore.h"

#include <algorithm>

using namespace dsc;

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
  for (unsigned i = 0; i < kMaxStreams; ++i)
    streams[stream][i] = std::max(streams[stream][i], it->second[i]);
  return true;
}
