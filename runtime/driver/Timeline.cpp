#include "runtime/driver/Timeline.h"
#include "runtime/data/AtomicFile.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace dsc::runtime;
using nlohmann::ordered_json;

namespace {

/// Of a stream, so that a long update takes no more than 32 MiB for each.
constexpr uint64_t kMostEvents = uint64_t(1) << 20;

constexpr uint64_t kDefaultStep = 3; ///< Of the run; caches are warm by then.

constexpr const char *kStreamNames[EventRecorder::kStreams] = {
    "compute", "communication", "transfer"};

/// Adds what `count` runs of an entry may record.
void addRoom(EventRecorder::Room &room, const Manifest::Entry &entry,
             uint64_t count) {
  std::array<uint64_t, EventRecorder::kStreams> calls{};
  for (const Manifest::Operation &operation : entry.operations)
    ++calls[std::min<uint32_t>(operation.stream, calls.size() - 1)];
  ++calls[0]; // Waits for the other streams at the end.
  for (size_t stream = 0; stream < calls.size(); ++stream)
    room[stream] =
        std::min(room[stream] + std::min(count, kMostEvents) * calls[stream],
                 kMostEvents);
  room[EventRecorder::kRuns] =
      std::min(room[EventRecorder::kRuns] + count, kMostEvents);
}

double seconds(int64_t nanoseconds) { return nanoseconds * 1e-9; }

/// Writes the document line by line; the first failure is kept.
class TraceWriter {
public:
  explicit TraceWriter(AtomicFile &file) : file(file) {}

  void add(const ordered_json &event) {
    text += isFirst ? "\n" : ",\n";
    isFirst = false;
    // Names of a model are bytes; what is not UTF-8 is replaced.
    text += event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    constexpr size_t kPiece = 1 << 20;
    if (text.size() > kPiece)
      flush();
  }
  void raw(const std::string &words) { text += words; }
  Status finish() {
    flush();
    return status;
  }

private:
  void flush() {
    if (status.ok())
      status = file.write(text.data(), text.size());
    text.clear();
  }

  AtomicFile &file;
  std::string text;
  bool isFirst = true;
  Status status;
};

/// The call with this ordinal. A message of several is timed as one, under the
/// first of them.
Manifest::Operation operationOf(const Manifest::Entry &entry, size_t ordinal) {
  if (ordinal >= entry.operations.size())
    return {"wait for the end", "wait", ""};
  Manifest::Operation operation = entry.operations[ordinal];
  size_t more = 0;
  for (size_t next = ordinal + 1;
       next < entry.operations.size() && entry.operations[next].joined;
       ++next) {
    operation.bytes += entry.operations[next].bytes;
    ++more;
  }
  if (more)
    operation.name += concat(" and ", more, " more");
  return operation;
}

ordered_json nameEvent(const char *what, uint32_t rank,
                       std::optional<uint32_t> stream,
                       const std::string &name) {
  ordered_json event = {{"name", what}, {"ph", "M"}, {"pid", rank}};
  if (stream)
    event["tid"] = *stream;
  event["args"] = {{"name", name}};
  return event;
}

} // namespace

Result<Timeline> Timeline::create(const RunOptions &options,
                                  const Module &module, const Dataset &data,
                                  const TrainingPlan &plan, uint64_t stepsDone,
                                  uint64_t totalSteps) {
  Timeline timeline;
  if (options.timeline.empty() || stepsDone >= totalSteps)
    return timeline;
  uint64_t first = stepsDone + 1;
  uint64_t step = options.timelineStep.value_or(
      std::min(stepsDone + kDefaultStep, totalSteps));
  if (step < first || step > totalSteps)
    return usageError("--timeline-step=", step, ": this run has the updates ",
                      first, " to ", totalSteps);
  const Manifest::Entry *update = module.manifest().findEntry("update");
  if (data.entry().operations.empty())
    return inputError("--timeline: '", module.path(),
                      "' does not name its operations; compile it again");
  timeline.path = options.timeline;
  timeline.step = step;
  EventRecorder::Room room{};
  if (plan.step)
    addRoom(room, *plan.step, plan.microBatches - 1);
  addRoom(room, data.entry(), 1);
  addRoom(room, *update, 1);
  timeline.recorder.emplace(room);
  return timeline;
}

void Timeline::begin(Session &session, uint64_t now) {
  if (!step || now != step)
    return;
  recorder->clear();
  session.recordTo(&*recorder);
}

Status Timeline::end(Session &session, uint64_t now) {
  if (!step || now != step)
    return {};
  session.recordTo(nullptr);
  DSC_ASSIGN(auto events, gatherEvents(session));
  if (session.rank() != 0)
    return {};
  Times times = measure(events);
  constexpr double kMilli = 1e3;
  char numbers[160];
  std::snprintf(numbers, sizeof(numbers),
                "step %.1f ms: compute %.1f, exposed communication %.1f, "
                "other %.1f",
                kMilli * times.whole, kMilli * times.compute,
                kMilli * times.exposed,
                kMilli * (times.whole - times.compute - times.exposed));
  line = concat("timeline of update ", step, " in '", path, "': ", numbers);
  if (uint64_t dropped = recorder->dropped())
    line += concat("; there was no room for ", dropped, " events");
  return write(session.module().manifest(), events, times);
}

std::string Timeline::summary() const {
  if (step && line.empty())
    return concat("no timeline was written: the run ended before update ",
                  step);
  return line;
}

/// Of each rank, on rank 0; elsewhere of this one.
Result<std::vector<std::vector<EventRecorder::Event>>>
Timeline::gatherEvents(Session &session) const {
  std::vector<std::vector<Event>> events{recorder->events()};
  Channel &peers = session.peers();
  if (peers.size() == 1)
    return events;
  const std::string label[] = {"gather of the timeline"};
  peers.expect(label);
  std::vector<uint64_t> counts(peers.size());
  uint64_t count = events.front().size();
  Status status = peers.allGather(&count, counts.data(), sizeof(count));
  if (peers.rank() != 0 && status.ok())
    status = peers.send(0, events.front().data(), count * sizeof(Event));
  for (uint32_t rank = 1; peers.rank() == 0 && rank < peers.size(); ++rank) {
    events.emplace_back(counts[rank]);
    if (status.ok())
      status = peers.receive(rank, events.back().data(),
                             counts[rank] * sizeof(Event));
  }
  peers.expect({});
  if (!status.ok())
    return status;
  return events;
}

Timeline::Times
Timeline::measure(const std::vector<std::vector<Event>> &events) const {
  Times times;
  for (const std::vector<Event> &ofRank : events) {
    int64_t begin = INT64_MAX, end = INT64_MIN, compute = 0, exposed = 0;
    for (const Event &event : ofRank) {
      if (event.stream == EventRecorder::kRuns) {
        begin = std::min(begin, event.begin);
        end = std::max(end, event.end);
      } else if (event.stream == DSRT_STREAM_COMPUTE) {
        (event.isWait ? exposed : compute) += event.end - event.begin;
      }
    }
    times.whole += seconds(end - begin) / double(events.size());
    times.compute += seconds(compute) / double(events.size());
    times.exposed += seconds(exposed) / double(events.size());
  }
  return times;
}

Status Timeline::write(const Manifest &manifest,
                       const std::vector<std::vector<Event>> &events,
                       const Times &times) const {
  // All ranks run the same entries, and begin at about the same time.
  std::vector<uint32_t> entryOfRun;
  int64_t begin = INT64_MAX;
  for (const std::vector<Event> &ofRank : events)
    for (const Event &event : ofRank)
      begin = std::min(begin, event.begin);
  for (const Event &event : events.front())
    if (event.stream == EventRecorder::kRuns)
      entryOfRun.push_back(event.ordinal);

  DSC_ASSIGN(AtomicFile file, AtomicFile::create(path));
  TraceWriter out(file);
  out.raw("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  auto microseconds = [](int64_t nanoseconds) { return nanoseconds / 1e3; };
  for (uint32_t rank = 0; rank < events.size(); ++rank) {
    out.add(
        nameEvent("process_name", rank, std::nullopt, concat("rank ", rank)));
    for (uint32_t stream = 0; stream < EventRecorder::kStreams; ++stream)
      if (std::any_of(events[rank].begin(), events[rank].end(),
                      [&](const Event &e) { return e.stream == stream; }))
        out.add(nameEvent("thread_name", rank, stream, kStreamNames[stream]));
    for (const Event &event : events[rank]) {
      if (event.stream == EventRecorder::kRuns ||
          event.run >= entryOfRun.size())
        continue;
      const Manifest::Entry &entry = manifest.entries[entryOfRun[event.run]];
      const Manifest::Operation operation = operationOf(entry, event.ordinal);
      ordered_json arguments = {
          {"entry", entry.name}, {"run", event.run}, {"index", event.ordinal}};
      if (!operation.node.empty())
        arguments["node"] = operation.node;
      if (operation.bytes)
        arguments["bytes"] = operation.bytes;
      out.add({{"name", operation.name},
               {"cat", event.isWait ? "wait" : operation.category},
               {"ph", "X"},
               {"ts", microseconds(event.begin - begin)},
               {"dur", microseconds(event.end - event.begin)},
               {"pid", rank},
               {"tid", event.stream},
               {"args", arguments}});
    }
  }
  out.raw("\n],\"otherData\":" +
          ordered_json({{"update", step},
                        {"ranks", events.size()},
                        {"seconds", times.whole},
                        {"compute_seconds", times.compute},
                        {"exposed_seconds", times.exposed}})
              .dump() +
          "}\n");
  DSC_RETURN_IF_ERROR(out.finish());
  return file.commit();
}
