#include "compiler/plan/PrintPlan.h"

#include "compiler/plan/TextTable.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace dsc;
using llvm::formatv;
using llvm::raw_ostream;
using llvm::StringRef;

namespace {

struct ClassName {
  StringRef key;
  StringRef title;
};

/// In the order of ByteClass.
constexpr ClassName classNames[kByteClasses] = {
    {"parameters", "parameters"},
    {"gradients", "gradients"},
    {"optimizer", "optimizer"},
    {"compute_copies", "compute copies"},
    {"scalars", "scalars"},
    {"staging", "staging"},
    {"inputs", "inputs"},
    {"activations", "activations"},
    {"gather_buffers", "gather buffers"},
    {"reduce_buffers", "reduction buffers"},
    {"workspace", "workspace"},
    {"unused", "unused at the peak"},
};

} // namespace

static StringRef nameOf(BufferUse use) {
  switch (use) {
  case BufferUse::Activation:
    return "activation";
  case BufferUse::Gather:
    return "gather";
  case BufferUse::Reduction:
    return "reduction";
  }
  llvm_unreachable("a buffer has one of its uses");
}

static std::string text(uint64_t number) { return std::to_string(number); }

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static void printClasses(const RankPlan &plan, raw_ostream &os) {
  TextTable table("lrr");
  table.add({plan.byRank.empty() ? "on each rank"
                                 : formatv("on rank {0}", plan.rank).str(),
             "bytes", "MiB"});
  for (auto [name, bytes] : llvm::zip_equal(classNames, plan.bytes))
    table.add({name.title.str(), text(bytes), formatMebibytes(bytes)});
  table.add({"total", text(plan.totalBytes), formatMebibytes(plan.totalBytes)});
  table.print(os);
  os << '\n';
  TextTable beside("lrr");
  beside.add({"beside it, where dsrun needs it", "bytes", "MiB"});
  beside.add({"checkpoint snapshot", text(plan.snapshotBytes),
              formatMebibytes(plan.snapshotBytes)});
  beside.add({"reading ahead", text(plan.readAheadBytes),
              formatMebibytes(plan.readAheadBytes)});
  beside.print(os);
}

/// The ranks of unequal shares.
static void printRanks(const RankPlan &plan, raw_ostream &os) {
  std::vector<std::string> head = {"rank", "weight", "bytes", "MiB",
                                   "snapshot"};
  for (const EntryPlan &entry : plan.entries)
    head.push_back("received in " + entry.name);
  TextTable table(std::string(head.size(), 'r'));
  table.add(head);
  for (auto [rank, row] : llvm::enumerate(plan.byRank)) {
    std::vector<std::string> cells = {
        text(rank), text(row.weight), text(row.totalBytes),
        formatMebibytes(row.totalBytes), text(row.snapshotBytes)};
    for (uint64_t bytes : row.receivedBytes)
      cells.push_back(text(bytes));
    table.add(cells);
  }
  table.print(os);
}

static void printGroups(const RankPlan &plan, raw_ostream &os) {
  TextTable table("lrrrrrrr");
  table.add(
      {"group", "stage", "elements",
       plan.byRank.empty() ? "a rank" : formatv("rank {0}", plan.rank).str(),
       "gaps", "tail", "padding bytes", "owners"});
  for (const GroupPlan &group : plan.groups) {
    uint64_t tail = group.tailElements();
    table.add({group.name, text(group.stage), text(group.tensorElements),
               text(group.shardElements), text(group.gapElements()), text(tail),
               text((tail + group.gapElements()) * group.elementBytes),
               formatv("{0} of {1}", group.owners, plan.ranks)});
  }
  table.print(os);
}

static void printWire(const RankPlan &plan, raw_ostream &os) {
  TextTable table("lllrrr");
  table.add(
      {formatv("received by {0} in a call of",
               plan.byRank.empty() ? "a rank"
                                   : formatv("rank {0}", plan.rank).str()),
       "group", "by", "collectives", "bytes", "MiB"});
  for (const EntryPlan &entry : plan.entries) {
    for (const WirePlan &row : entry.wire)
      table.add({entry.name, row.group.empty() ? "-" : row.group,
                 row.collective, text(row.count), text(row.receivedBytes),
                 formatMebibytes(row.receivedBytes)});
    if (entry.wire.size() != 1)
      table.add({entry.name, "total", "", "", text(entry.receivedBytes()),
                 formatMebibytes(entry.receivedBytes())});
  }
  table.print(os);
}

/// "contraction of node 'fc1' (Gemm)"; of several nodes the first.
static std::string describe(const OpPlace &place) {
  if (place.nodes.empty())
    return place.operation;
  std::string text = place.operation + " of " + place.nodes.front();
  if (place.nodes.size() > 1)
    text += formatv(" and {0} more", place.nodes.size() - 1);
  return text;
}

static void printPeaks(const RankPlan &plan, raw_ostream &os) {
  TextTable table("lrrrl");
  table.add({"step region of", "bytes", "in use at peak", "MiB", "peak at"});
  for (const EntryPlan &entry : plan.entries)
    table.add({entry.name, text(entry.arenaBytes),
               text(entry.arena.peakBytes()),
               formatMebibytes(entry.arena.peakBytes()),
               entry.arena.steps.empty()
                   ? "-"
                   : describe(entry.arena.steps[entry.arena.peak].place)});
  table.print(os);
}

/// What is in use at the peak; of many buffers the largest.
static void printBuffers(const EntryPlan &entry, bool verbose,
                         raw_ostream &os) {
  constexpr size_t shown = 10;
  std::vector<LiveBuffer> buffers = entry.arena.buffers;
  llvm::sort(buffers, [](const LiveBuffer &a, const LiveBuffer &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.offset < b.offset;
  });
  size_t count = verbose ? buffers.size() : std::min(shown, buffers.size());
  TextTable table("lrrrl");
  table.add({"in use at the peak of " + entry.name, "bytes", "MiB", "offset",
             "written by"});
  for (const LiveBuffer &buffer : llvm::ArrayRef(buffers).take_front(count))
    table.add({nameOf(buffer.use).str(), text(buffer.bytes),
               formatMebibytes(buffer.bytes), text(buffer.offset),
               describe(buffer.definedBy)});
  table.print(os);
  if (count < buffers.size())
    os << "and "
       << formatCount(buffers.size() - count, "smaller buffer",
                      "smaller buffers")
       << " (--plan=verbose shows all)\n";
}

static void printSteps(const EntryPlan &entry, raw_ostream &os) {
  TextTable table("lrr");
  table.add({"in use during " + entry.name, "bytes", "MiB"});
  for (const ArenaUse::Step &step : entry.arena.steps)
    table.add({describe(step.place), text(step.liveBytes),
               formatMebibytes(step.liveBytes)});
  table.print(os);
}

/// The collectives of an entry in their order.
static void printSchedule(const EntryPlan &entry, raw_ostream &os) {
  TextTable table("rlrrll");
  table.add({"", "schedule of " + entry.name, "received bytes", "overlaps",
             "starts before", "is awaited before"});
  auto nameOf = [](const std::optional<OpPlace> &place) {
    return place ? describe(*place) : "the end";
  };
  for (auto [index, row] : llvm::enumerate(entry.schedule))
    table.add({text(index), row.place.operation, text(row.receivedBytes),
               text(row.overlapped), nameOf(row.starts), nameOf(row.awaited)});
  table.print(os);
}

void dsc::printPlan(const RankPlan &plan, const PlanOptions &options,
                    raw_ostream &os) {
  const bool verbose = options.verbose;
  os << "plan for " << formatCount(plan.ranks, "rank", "ranks");
  if (plan.byRank.empty()) {
    os << "\n\n";
  } else {
    os << " of unequal shares; rank " << plan.rank
       << " is one that holds most\n\n";
    printRanks(plan, os);
    os << '\n';
  }
  printClasses(plan, os);
  if (!plan.groups.empty()) {
    os << '\n';
    printGroups(plan, os);
  }
  os << '\n';
  printWire(plan, os);
  os << '\n';
  printPeaks(plan, os);
  for (const EntryPlan &entry : plan.entries)
    if (!entry.arena.buffers.empty() &&
        (verbose || &entry == plan.largestEntry())) {
      os << '\n';
      printBuffers(entry, verbose, os);
    }
  for (const EntryPlan &entry : plan.entries)
    if (options.schedule && !entry.schedule.empty()) {
      os << '\n';
      printSchedule(entry, os);
    }
  for (const EntryPlan &entry : plan.entries)
    if (verbose) {
      os << '\n';
      printSteps(entry, os);
    }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

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
        json.attribute("use", nameOf(buffer.use));
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
                        raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("ranks", plan.ranks);
    json.attribute("rank", plan.rank);
    json.attribute("total_bytes", plan.totalBytes);
    json.attribute("snapshot_bytes", plan.snapshotBytes);
    json.attribute("read_ahead_bytes", plan.readAheadBytes);
    json.attribute("arena_bytes", plan.arenaBytes);
    json.attributeObject("bytes", [&] {
      for (auto [name, bytes] : llvm::zip_equal(classNames, plan.bytes))
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
  });
  json.flush();
  os << '\n';
}
