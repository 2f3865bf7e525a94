/// What a run is expected to take on a machine, from the programs as they will
/// be executed: each operation's time by the cost model, on streams that events
/// order. Ranks of equal shares all do the same, so one of them is replayed,
/// whatever their number.

#ifndef DSC_COMPILER_SIMULATE_SIMULATION_H
#define DSC_COMPILER_SIMULATE_SIMULATION_H

#include "compiler/plan/RankPlan.h"
#include "passes/analysis/CostModel.h"
#include "passes/analysis/ProgramOperations.h"

namespace dsc {

/// An operation and when it runs. Seconds count from the begin of the entry.
struct SimulatedOperation {
  ProgramOperation call;
  uint64_t index = 0; ///< Of the call in the program, from 0.
  /// With as many ranks as are simulated: what it reads and writes, and of a
  /// collective what the rank receives.
  uint64_t bytes = 0;
  double begin = 0, seconds = 0;
};

struct EntrySimulation {
  std::string name;
  exec::ProgramKind kind;
  double seconds = 0;
  /// What the compute stream works, what the communication stream works, and
  /// how much longer the entry takes than the compute stream works: what of
  /// the communication is not hidden.
  double computeSeconds = 0, exchangeSeconds = 0, exposedSeconds = 0;
  /// Received by the rank over each level of links.
  std::vector<uint64_t> levelBytes;
  uint64_t samples = 0; ///< Of a micro-batch; 0 without inputs.
  uint64_t tokens = 0;  ///< Of a micro-batch; 0 if no input is of tokens.
  /// Those that take time or wait, in the order of issue.
  std::vector<SimulatedOperation> operations;
};

struct Simulation {
  uint32_t ranks = 1;
  std::vector<EntrySimulation> entries;

  /// A whole update of one micro-batch, for each entry that ends one: it, and
  /// the update.
  struct Update {
    std::string entry; ///< Such as `step_last`.
    double seconds = 0, exposedSeconds = 0;
    double samplesPerSecond = 0, tokensPerSecond = 0; ///< Of all ranks.
  };
  std::vector<Update> updates;
};

/// Replays the programs of a module in the form after the lower stage. `plan`
/// is that of the module for the ranks of `model`, of equal shares.
Simulation simulate(mlir::ModuleOp module, const RankPlan &plan,
                    const CostModel &model);

} // namespace dsc

#endif // DSC_COMPILER_SIMULATE_SIMULATION_H
