#ifndef DSC_COMPILER_SIMULATE_PRINTSIMULATION_H
#define DSC_COMPILER_SIMULATE_PRINTSIMULATION_H

#include "llvm/Support/raw_ostream.h"
#include <string>

namespace dsc {

struct CostModel;
struct RankPlan;
struct Simulation;

/// What `dsc --simulate` and `--timeline` ask for.
struct SimulateOptions {
  bool enabled = false; ///< Print the simulation.
  bool json = false;
  std::string timeline; ///< File to write the timeline to; empty: none.

  bool isAsked() const { return enabled || !timeline.empty(); }
};

/// Tables for people.
void printSimulation(const Simulation &simulation, const RankPlan &plan,
                     const CostModel &model, llvm::raw_ostream &os);

/// The same for programs; docs/simulate.md describes the keys.
void printSimulationJson(const Simulation &simulation, const RankPlan &plan,
                         const CostModel &model, llvm::raw_ostream &os);

/// When each operation of each entry runs, in Chrome's trace format.
void printTimeline(const Simulation &simulation, llvm::raw_ostream &os);

} // namespace dsc

#endif // DSC_COMPILER_SIMULATE_PRINTSIMULATION_H
