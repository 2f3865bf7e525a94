#include "compiler/plan/PrintPlan.h"

#include "compiler/plan/PlanNames.h"
#include "compiler/plan/TextTable.h"
#include "llvm/Support/FormatVariadic.h"

using namespace dsc;
using llvm::formatv;
using llvm::raw_ostream;
using llvm::StringRef;

static std::string text(uint64_t number) { return std::to_string(number); }

static void printClasses(const RankPlan &plan, raw_ostream &os) {
  TextTable table("lrr");
  table.add({plan.byRank.empty() ? "on each rank"
                                 : formatv("on rank {0}", plan.rank).str(),
             "bytes", "MiB"});
  for (auto [name, bytes] : llvm::zip_equal(getClassNames(), plan.bytes))
    table.add({name.title.str(), text(bytes), formatMebibytes(bytes)});
  table.add({"total", text(plan.totalBytes), formatMebibytes(plan.totalBytes)});
  table.print(os);
  os << '\n';
  TextTable beside("lrr");
  beside.add({"beside it, where dsrun needs it", "bytes", "MiB"});
  if (plan.offloadedBytes)
    beside.add({"offloaded optimizer", text(plan.offloadedBytes),
                formatMebibytes(plan.offloadedBytes)});
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
    table.add({getName(buffer.use).str(), text(buffer.bytes),
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
                    llvm::ArrayRef<DecisionRow> decisions, raw_ostream &os) {
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
  printDecisions(decisions, os);
}
