#include "compiler/simulate/PrintSimulation.h"

#include "compiler/plan/TextTable.h"
#include "compiler/simulate/Simulation.h"
#include "llvm/Support/FormatVariadic.h"

using namespace dsc;
using llvm::formatv;
using llvm::raw_ostream;

/// "1.234": in milliseconds.
static std::string milliseconds(double seconds) {
  return formatv("{0:f3}", seconds * 1e3);
}

static std::string percent(double part, double whole) {
  return formatv("{0:f1}%", whole > 0 ? 100 * part / whole : 0.0);
}

static void printEntries(const Simulation &simulation, raw_ostream &os) {
  TextTable table("lrrrrr");
  table.add({"milliseconds of a call of", "total", "compute", "communication",
             "exposed", "of it"});
  for (const EntrySimulation &entry : simulation.entries)
    table.add({entry.name, milliseconds(entry.seconds),
               milliseconds(entry.computeSeconds),
               milliseconds(entry.exchangeSeconds),
               milliseconds(entry.exposedSeconds),
               percent(entry.exposedSeconds, entry.seconds)});
  table.print(os);
}

static void printUpdates(const Simulation &simulation, raw_ostream &os) {
  TextTable table("lrrrr");
  table.add({"an update of one micro-batch by", "ms", "exposed ms", "samples/s",
             "tokens/s"});
  for (const Simulation::Update &update : simulation.updates)
    table.add({update.entry, milliseconds(update.seconds),
               milliseconds(update.exposedSeconds),
               formatv("{0:f1}", update.samplesPerSecond),
               update.tokensPerSecond > 0
                   ? formatv("{0:f1}", update.tokensPerSecond).str()
                   : "-"});
  table.print(os);
}

static void printLevels(const Simulation &simulation, const CostModel &model,
                        raw_ostream &os) {
  std::vector<std::string> head = {"bytes received by a rank in"};
  for (const LinkLevel &level : model.links)
    head.push_back(formatv("over {0}", level.name));
  TextTable table("l" + std::string(model.links.size(), 'r'));
  table.add(head);
  for (const EntrySimulation &entry : simulation.entries) {
    std::vector<std::string> row = {entry.name};
    for (uint64_t bytes : entry.levelBytes)
      row.push_back(std::to_string(bytes));
    table.add(row);
  }
  table.print(os);
}

void dsc::printSimulation(const Simulation &simulation, const RankPlan &plan,
                          const CostModel &model, raw_ostream &os) {
  os << "simulated for " << formatCount(simulation.ranks, "rank", "ranks")
     << " of " << model.name << "\n\n";
  printEntries(simulation, os);
  if (!simulation.updates.empty()) {
    os << '\n';
    printUpdates(simulation, os);
  }
  os << '\n';
  printLevels(simulation, model, os);
  os << "\nmemory of a rank: " << plan.totalBytes << " bytes ("
     << formatMebibytes(plan.totalBytes) << " MiB)";
  if (model.memoryBytes && plan.totalBytes > model.memoryBytes)
    os << ", more than the " << model.memoryBytes << " that it has";
  else if (model.memoryBytes)
    os << " of " << model.memoryBytes;
  os << '\n';
}
