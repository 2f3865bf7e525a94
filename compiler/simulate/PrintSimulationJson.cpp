#include "compiler/simulate/PrintSimulation.h"
#include "compiler/simulate/Simulation.h"
#include "llvm/Support/JSON.h"

using namespace dsc;
using llvm::raw_ostream;
using llvm::StringRef;

/// Names are bytes of a user's file.
static std::string fix(StringRef name) { return llvm::json::fixUTF8(name); }

static void writeEntry(const EntrySimulation &entry,
                       llvm::json::OStream &json) {
  json.attribute("name", fix(entry.name));
  json.attribute("kind", exec::stringifyProgramKind(entry.kind));
  json.attribute("seconds", entry.seconds);
  json.attribute("compute_seconds", entry.computeSeconds);
  json.attribute("exchange_seconds", entry.exchangeSeconds);
  json.attribute("exposed_seconds", entry.exposedSeconds);
  json.attributeArray("received_bytes", [&] {
    for (uint64_t bytes : entry.levelBytes)
      json.value(bytes);
  });
}

static void writeUpdate(const Simulation::Update &update,
                        llvm::json::OStream &json) {
  json.attribute("entry", fix(update.entry));
  json.attribute("seconds", update.seconds);
  json.attribute("exposed_seconds", update.exposedSeconds);
  json.attribute("samples_per_second", update.samplesPerSecond);
  json.attribute("tokens_per_second",
                 update.tokensPerSecond > 0
                     ? llvm::json::Value(update.tokensPerSecond)
                     : llvm::json::Value(nullptr));
}

void dsc::printSimulationJson(const Simulation &simulation,
                              const RankPlan &plan, const CostModel &model,
                              raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("ranks", simulation.ranks);
    json.attribute("machine", fix(model.name));
    json.attributeArray("levels", [&] {
      for (const LinkLevel &level : model.links)
        json.object([&] {
          json.attribute("name", fix(level.name));
          json.attribute("ranks", level.ranks);
        });
    });
    json.attribute("total_bytes", plan.totalBytes);
    json.attribute("memory_bytes", model.memoryBytes
                                       ? llvm::json::Value(model.memoryBytes)
                                       : llvm::json::Value(nullptr));
    json.attributeArray("entries", [&] {
      for (const EntrySimulation &entry : simulation.entries)
        json.object([&] { writeEntry(entry, json); });
    });
    json.attributeArray("updates", [&] {
      for (const Simulation::Update &update : simulation.updates)
        json.object([&] { writeUpdate(update, json); });
    });
  });
  json.flush();
  os << '\n';
}
