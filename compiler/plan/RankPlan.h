#ifndef DSC_COMPILER_PLAN_RANKPLAN_H
#define DSC_COMPILER_PLAN_RANKPLAN_H

#include "compiler/plan/Schedule.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <array>
#include <string>
#include <vector>

namespace dsc {

/// What the bytes of a rank are for, in the order of the printed table. The
/// first three and Scalars and Staging are the state region, the last five the
/// step region at the place where most of it is in use.
enum class ByteClass {
  Parameters,
  Gradients,
  Optimizer,
  ComputeCopies, ///< Parameters in another type than the one that is trained.
  Scalars,       ///< Settings, counters, accumulators, reports.
  Staging,       ///< What collectives receive before it is added up.
  Inputs,
  Activations,
  GatherBuffers, ///< Gathered parameters.
  ReduceBuffers, ///< Whole gradients on their way to a reduction.
  Workspace,     ///< What providers of contractions declare.
  Unused,        ///< Of the step region, at its peak.
};
inline constexpr unsigned kByteClasses = unsigned(ByteClass::Unused) + 1;

/// One group of parameters, cut over all ranks.
struct GroupPlan {
  std::string name;
  uint32_t stage = 0;
  uint64_t elementBytes = 0;
  uint64_t tensorElements = 0; ///< Of the tensors alone.
  uint64_t elements = 0;       ///< With the gaps between them.
  uint64_t shardElements = 0;  ///< Of the rank that is planned for.
  uint64_t allElements = 0;    ///< Of all ranks, with the tail.
  uint64_t owners = 0;         ///< Ranks that own any of the elements.

  uint64_t gapElements() const { return elements - tensorElements; }
  /// Zeros behind the last tensor, over all ranks.
  uint64_t tailElements() const { return allElements - elements; }
};

/// The collectives of one kind and group in an entry point.
struct WirePlan {
  std::string collective; ///< all_gather or all_to_all.
  std::string group;      ///< Empty: numbers that belong to no group.
  uint64_t count = 0;
  uint64_t receivedBytes = 0; ///< By the rank from the others, in one call.
};

struct EntryPlan {
  std::string name;
  std::string kind;
  uint64_t arenaBytes = 0;
  uint64_t leastArenaBytes = 0; ///< No plan needs less.
  ArenaUse arena;
  std::vector<WirePlan> wire;
  std::vector<ScheduledCollective> schedule;

  uint64_t receivedBytes() const;
};

/// What differs between ranks of unequal shares.
struct RankTotals {
  uint32_t weight = 0;
  uint64_t totalBytes = 0;
  uint64_t offloadedBytes = 0;
  uint64_t snapshotBytes = 0;
  std::vector<uint64_t> receivedBytes; ///< In a call of each entry point.
};

/// What a rank of a run holds and receives. Ranks of equal shares hold equally
/// much; those whose range of a group lies behind its last tensor hold zeros.
struct RankPlan {
  uint32_t ranks = 1;
  /// The rank that this is the plan of: the first of those that hold most.
  uint32_t rank = 0;
  /// All ranks, if their shares are unequal.
  std::vector<RankTotals> byRank;
  std::array<uint64_t, kByteClasses> bytes = {};
  uint64_t arenaBytes = 0;
  /// What a session allocates: the sum of `bytes`.
  uint64_t totalBytes = 0;
  /// States that are held in host memory or in a file.
  uint64_t offloadedBytes = 0;
  /// Beside these: what a run that saves checkpoints in the background copies,
  /// and the next batch, which is read while one is in use.
  uint64_t snapshotBytes = 0, readAheadBytes = 0;
  std::vector<GroupPlan> groups;
  std::vector<EntryPlan> entries;

  uint64_t &operator[](ByteClass kind) { return bytes[unsigned(kind)]; }
  uint64_t operator[](ByteClass kind) const { return bytes[unsigned(kind)]; }
  /// The entry that the step region is as large as; null without entries.
  const EntryPlan *largestEntry() const;
};

/// Plans a module in the form after the lower stage for `ranks` ranks, with the
/// layout function that the runtime allocates by. `weights` has the share of
/// each rank, not all of them 0; empty: equal ones. Fails if a size does not
/// fit in 64 bits.
llvm::Expected<RankPlan> planRank(mlir::ModuleOp module, uint32_t ranks,
                                  llvm::ArrayRef<uint32_t> weights);

} // namespace dsc

#endif // DSC_COMPILER_PLAN_RANKPLAN_H
