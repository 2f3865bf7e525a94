#include "compiler/CommandLineOptions.h"
#include "compiler/simulate/Topology.h"
#include "llvm/Support/WithColor.h"

using namespace dsc;

static bool usageError(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "dsc") << message << '\n';
  return false;
}

bool CommandLine::fillSimulate(CompileOptions &options) {
  options.simulate.enabled = simulate;
  options.simulate.json = json;
  options.simulate.timeline = timeline;
  if (!options.simulate.isAsked())
    return true;
  llvm::StringRef flag = simulate ? "--simulate" : "--timeline";
  if (!shardWeights.empty())
    return usageError(flag + " replays one rank, as all do the same with equal "
                             "shares; drop --shard-weights");
  if (json && simulate && options.plan.enabled)
    return usageError("--json prints one object: of --plan and --simulate, "
                      "drop one");
  if (timeline.getNumOccurrences() && timeline.empty())
    return usageError("--timeline needs a file to write: --timeline=OUT.json");
  if (timeline == "-" && (simulate || options.plan.enabled))
    return usageError("--timeline=- prints to standard output, and so does "
                      "what else is asked for: name a file");
  return true;
}

bool CommandLine::readMachine(CompileOptions &options) {
  if (!topology.getNumOccurrences())
    return true;
  runtime::Result<runtime::Machine> machine = readTopology(
      topology.getValue(), getTopologyFolder(), options.plan.ranks);
  if (machine.ok()) {
    options.machine = std::move(*machine);
    return true;
  }
  llvm::WithColor::error(llvm::errs(), "dsc")
      << machine.status().message() << '\n';
  return false;
}
