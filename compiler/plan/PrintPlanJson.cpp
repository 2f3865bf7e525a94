#include "compiler/plan/PlanNames.h"
#include "compiler/plan/PrintPlan.h"

#include "llvm/Support/JSON.h"

using namespace dsc;
using llvm::raw_ostream;
using llvm::StringRef;

/// Names in ONNX files are bytes.
static std::string fix(StringRef name) { return llvm::json::fixUTF8(name); }

static void writePlace(const OpPlace &place, llvm::json::OStream &json) {
  json.attribute("operation", fix(place.operation));
  json.attributeArray("nodes", [&] {
    for (StringRef node : place.nodes)
      json.value(fix(node));
  });
}

static void writeGroup(const GroupPlan &group, llvm::json::OStream &json) {
  uint64_t tail = group.tailElements();
  json.attribute("name", fix(group.name));
  json.attribute("stage", group.stage);
  json.attribute("element_bytes", group.elementBytes);
  json.attribute("tensor_elements", group.tensorElements);
  json.attribute("elements", group.elements);
  json.attribute("shard_elements", group.shardElements);
  json.attribute("gap_elements", group.gapElements());
  json.attribute("tail_elements", tail);
  json.attribute("padding_bytes",
                 (tail + group.gapElements()) * group.elementBytes);
  json.attribute("owners", group.owners);
}

static void writeWire(const WirePlan &row, llvm::json::OStream &json) {
  json.attribute("collective", row.collective);
  json.attribute("group", row.group.empty()
                              ? llvm::json::Value(nullptr)
                              : llvm::json::Value(fix(row.group)));
  json.attribute("count", row.count);
  json.attribute("received_bytes", row.receivedBytes);
}

static void writePeak(const ArenaUse &arena, llvm::json::OStream &json) {
  json.attribute("bytes", arena.peakBytes());
  if (!arena.steps.empty())
    writePlace(arena.steps[arena.peak].place, json);
  json.attributeArray("buffers", [&] {
    for (const LiveBuffer &buffer : arena.buffers)
      json.object([&] {
        json.attribute("offset", buffer.offset);
        json.attribute("bytes", buffer.bytes);
        json.attribute("use", getName(buffer.use));
        writePlace(buffer.definedBy, json);
      });
  });
}

static void writeScheduled(const ScheduledCollective &row,
                           llvm::json::OStream &json) {
  writePlace(row.place, json);
  json.attribute("received_bytes", row.receivedBytes);
  json.attribute("overlapped", row.overlapped);
  auto write = [&](StringRef key, const std::optional<OpPlace> &place) {
    if (place)
      json.attributeObject(key, [&] { writePlace(*place, json); });
    else
      json.attribute(key, nullptr);
  };
  write("starts_before", row.starts);
  write("awaited_before", row.awaited);
}

static void writeRank(const RankPlan &plan, const RankTotals &row,
                      llvm::json::OStream &json) {
  json.attribute("weight", row.weight);
  json.attribute("total_bytes", row.totalBytes);
  json.attribute("offloaded_bytes", row.offloadedBytes);
  json.attribute("snapshot_bytes", row.snapshotBytes);
  json.attributeObject("received_bytes", [&] {
    for (auto [entry, bytes] : llvm::zip_equal(plan.entries, row.receivedBytes))
      json.attribute(fix(entry.name), bytes);
  });
}

static void writeEntry(const EntryPlan &entry, const PlanOptions &options,
                       llvm::json::OStream &json) {
  json.attribute("name", fix(entry.name));
  json.attribute("kind", entry.kind);
  json.attribute("arena_bytes", entry.arenaBytes);
  json.attribute("least_arena_bytes", entry.leastArenaBytes);
  json.attribute("received_bytes", entry.receivedBytes());
  json.attributeArray("wire", [&] {
    for (const WirePlan &row : entry.wire)
      json.object([&] { writeWire(row, json); });
  });
  json.attributeObject("peak", [&] { writePeak(entry.arena, json); });
  if (options.schedule)
    json.attributeArray("schedule", [&] {
      for (const ScheduledCollective &row : entry.schedule)
        json.object([&] { writeScheduled(row, json); });
    });
  if (!options.verbose)
    return;
  json.attributeArray("steps", [&] {
    for (const ArenaUse::Step &step : entry.arena.steps)
      json.object([&] {
        writePlace(step.place, json);
        json.attribute("bytes", step.liveBytes);
      });
  });
}

void dsc::printPlanJson(const RankPlan &plan, const PlanOptions &options,
                        llvm::ArrayRef<DecisionRow> decisions,
                        raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("ranks", plan.ranks);
    json.attribute("rank", plan.rank);
    json.attribute("total_bytes", plan.totalBytes);
    json.attribute("offloaded_bytes", plan.offloadedBytes);
    json.attribute("snapshot_bytes", plan.snapshotBytes);
    json.attribute("read_ahead_bytes", plan.readAheadBytes);
    json.attribute("arena_bytes", plan.arenaBytes);
    json.attributeObject("bytes", [&] {
      for (auto [name, bytes] : llvm::zip_equal(getClassNames(), plan.bytes))
        json.attribute(name.key, bytes);
    });
    json.attributeArray("groups", [&] {
      for (const GroupPlan &group : plan.groups)
        json.object([&] { writeGroup(group, json); });
    });
    if (!plan.byRank.empty())
      json.attributeArray("by_rank", [&] {
        for (const RankTotals &row : plan.byRank)
          json.object([&] { writeRank(plan, row, json); });
      });
    json.attributeArray("entries", [&] {
      for (const EntryPlan &entry : plan.entries)
        json.object([&] { writeEntry(entry, options, json); });
    });
    if (options.verbose)
      printDecisionsJson(decisions, json);
  });
  json.flush();
  os << '\n';
}
