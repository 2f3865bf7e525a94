#include "runtime/base/EventRecorder.h"

#include <chrono>

using namespace dsc::runtime;

EventRecorder::EventRecorder(const Room &room) {
  for (size_t i = 0; i < lanes.size(); ++i)
    lanes[i].events.resize(room[i]); // Also touches the pages.
}

int64_t EventRecorder::now() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch())
      .count();
}

void EventRecorder::clear() {
  for (Lane &lane : lanes)
    lane.count = lane.dropped = 0;
  runs = 0;
}

void EventRecorder::beginRun(uint32_t index) {
  entry = index;
  calls = 0;
  runBegin = now();
}

void EventRecorder::endRun() {
  put(lanes[kRuns], {runBegin, now(), runs, entry, kRuns, 0});
  ++runs;
}

void EventRecorder::add(uint32_t stream, uint32_t ordinal, int64_t begin,
                        bool isWait) {
  put(lanes[stream], {begin, now(), runs, ordinal, stream, isWait});
}

void EventRecorder::put(Lane &lane, const Event &event) {
  if (lane.count < lane.events.size())
    lane.events[lane.count++] = event;
  else
    ++lane.dropped;
}

std::vector<EventRecorder::Event> EventRecorder::events() const {
  std::vector<Event> all;
  for (const Lane &lane : lanes)
    all.insert(all.end(), lane.events.begin(),
               lane.events.begin() + lane.count);
  return all;
}

uint64_t EventRecorder::dropped() const {
  uint64_t sum = 0;
  for (const Lane &lane : lanes)
    sum += lane.dropped;
  return sum;
}
