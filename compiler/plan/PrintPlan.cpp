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
  table.add({"on each rank", "bytes", "MiB"});
  for (auto [name, bytes] : llvm::zip_equal(classNames, plan.bytes))
    table.add({name.title.str(), text(bytes), formatMebibytes(bytes)});
  table.add({"total", text(plan.totalBytes), formatMebibytes(plan.totalBytes)});
  table.print(os);
}

static void printGroups(const RankPlan &plan, raw_ostream &os) {
  TextTable table("lrrrrrrr");
  table.add({"group", "stage", "elements", "a rank", "gaps", "tail",
             "padding bytes", "owners"});
  for (const GroupPlan &group : plan.groups) {
    uint64_t tail = group.tailElements(plan.ranks);
    table.add({group.name, text(group.stage), text(group.tensorElements),
               text(group.shardElements), text(group.gapElements()), text(tail),
               text((tail + group.gapElements()) * group.elementBytes),
               formatv("{0} of {1}", group.owners, plan.ranks)});
  }
  table.print(os);
}

static void printWire(const RankPlan &plan, raw_ostream &os) {
  TextTable table("lllrrr");
  table.add({"received by a rank in a call of", "group", "by", "collectives",
             "bytes", "MiB"});
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

void dsc::printPlan(const RankPlan &plan, bool verbose, raw_ostream &os) {
  os << "plan for " << formatCount(plan.ranks, "rank", "ranks") << "\n\n";
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
  if (!verbose)
    return;
  for (const EntryPlan &entry : plan.entries) {
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

static void writeGroup(const GroupPlan &group, uint64_t ranks,
                       llvm::json::OStream &json) {
  uint64_t tail = group.tailElements(ranks);
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

static void writeEntry(const EntryPlan &entry, bool verbose,
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
  if (!verbose)
    return;
  json.attributeArray("steps", [&] {
    for (const ArenaUse::Step &step : entry.arena.steps)
      json.object([&] {
        writePlace(step.place, json);
        json.attribute("bytes", step.liveBytes);
      });
  });
}

void dsc::printPlanJson(const RankPlan &plan, bool verbose, raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("ranks", plan.ranks);
    json.attribute("total_bytes", plan.totalBytes);
    json.attribute("arena_bytes", plan.arenaBytes);
    json.attributeObject("bytes", [&] {
      for (auto [name, bytes] : llvm::zip_equal(classNames, plan.bytes))
        json.attribute(name.key, bytes);
    });
    json.attributeArray("groups", [&] {
      for (const GroupPlan &group : plan.groups)
        json.object([&] { writeGroup(group, plan.ranks, json); });
    });
    json.attributeArray("entries", [&] {
      for (const EntryPlan &entry : plan.entries)
        json.object([&] { writeEntry(entry, verbose, json); });
    });
  });
  json.flush();
  os << '\n';
}
