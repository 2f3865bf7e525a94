#include "compiler/InspectPrograms.h"

#include "compiler/Options.h"
#include "compiler/OutputFile.h"
#include "compiler/simulate/MachineCost.h"
#include "compiler/simulate/Simulation.h"
#include "llvm/Support/WithColor.h"

using namespace dsc;

bool dsc::inspectPrograms(mlir::ModuleOp module, const CompileOptions &options,
                          llvm::ArrayRef<DecisionRow> decisions,
                          std::string &text) {
  llvm::Expected<RankPlan> plan =
      planRank(module, options.plan.ranks, options.plan.shardWeights);
  if (!plan) {
    llvm::WithColor::error(llvm::errs(), "dsc")
        << llvm::toString(plan.takeError()) << '\n';
    return false;
  }
  llvm::raw_string_ostream os(text);
  if (options.plan.enabled)
    (options.plan.json ? printPlanJson : printPlan)(*plan, options.plan,
                                                    decisions, os);
  if (!options.simulate.isAsked())
    return true;
  CostModel model = makeCostModel(options.machine, options.plan.ranks);
  Simulation simulation = simulate(module, *plan, model);
  if (options.simulate.enabled) {
    if (options.plan.enabled)
      os << '\n';
    (options.simulate.json ? printSimulationJson
                           : printSimulation)(simulation, *plan, model, os);
  }
  return options.simulate.timeline.empty() ||
         writeOutputFile(options.simulate.timeline,
                         [&](llvm::raw_ostream &file) {
                           printTimeline(simulation, file);
                           return true;
                         });
}
