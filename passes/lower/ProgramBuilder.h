// Writes the program of one entry.

#ifndef DSC_PASSES_LOWER_PROGRAMBUILDER_H
#define DSC_PASSES_LOWER_PROGRAMBUILDER_H

#include "passes/analysis/Placement.h"
#include "passes/lower/KernelTable.h"
#include "passes/lower/Passes.h"
#include "passes/lower/PlanArena.h"
#include "passes/lower/StateTable.h"

#include <array>
#include <optional>

namespace dsc {

class ProgramBuilder {
public:
  /// `collectives` lists what the entry exchanges between ranks.
  ProgramBuilder(train::EntryOp entry, mlir::ArrayAttr collectives,
                 StateTable &table, KernelTable &kernels,
                 const ArenaOptions &options);

  /// Inserts the program at the end of the module. The entry is left without
  /// the bodies of its regions, to be erased.
  mlir::LogicalResult build();

private:
  exec::ProgramOp createProgram();
  void listCollectives(exec::ProgramOp program);
  mlir::LogicalResult emit(mlir::Operation *op);

  // ProgramBuilder.cpp
  void emitRegion(nn::FusionOp fusion);
  void emitRead(mlir::Operation *op, mlir::FlatSymbolRefAttr state);
  void emitWrite(mlir::Operation *op, mlir::FlatSymbolRefAttr state,
                 mlir::Value value, Storage::Kind kind);
  void emitAdd(mlir::Operation *op, mlir::FlatSymbolRefAttr state,
               mlir::Value value);
  void emitReturn(train::ReturnOp op);

  // ProgramTransfers.cpp
  void emitLoad(zero::LoadStartOp op);
  void emitStore(zero::StoreStartOp op);
  void emitTransferAwait(mlir::Operation *op);
  mlir::Value getOffloadedView(mlir::Location loc,
                               mlir::FlatSymbolRefAttr state,
                               mlir::MemRefType type);
  /// Copies on the transfer stream, behind all computation so far.
  void transfer(mlir::Operation *start, mlir::Value source,
                mlir::Value destination);

  // ProgramCollectives.cpp
  // Each takes the starts of one message: the first, and those joined to it.
  void emitGathers(mlir::ArrayRef<zero::GatherStartOp> starts);
  void emitReduceScatters(mlir::ArrayRef<zero::ReduceScatterStartOp> starts);
  /// Sums whole accumulators over ranks: the range of each rank, or all of them
  /// on every rank.
  template <typename StartOp>
  mlir::LogicalResult emitReductions(mlir::ArrayRef<StartOp> starts,
                                     bool toAll);
  void emitRefreshes(mlir::ArrayRef<zero::RefreshStartOp> starts);
  void emitAllReduce(zero::AllReduceStartOp op);
  void emitAwait(mlir::Operation *op, exec::Stream stream);
  /// Puts a value where a collective expects it, unless it lies there.
  void provide(mlir::Operation *op, mlir::Value value,
               MemoryPlan::Buffer buffer);
  /// One call of the channel, for `start`.
  template <typename Op, typename... Arguments>
  void call(mlir::Operation *start, Arguments &&...arguments) {
    Op::create(builder, start->getLoc(), std::forward<Arguments>(arguments)...);
    ++calls[start];
  }
  /// Makes the communication stream wait for all computation so far.
  void beginCommunication(mlir::Location loc);
  /// Records what the awaits of `starts` wait for.
  template <typename Starts> void endCommunication(Starts starts);
  /// One array of an all-gather: the ranges of `group`, of which this rank has
  /// `shard`, go into `full`.
  struct Gather {
    mlir::Operation *start;
    mlir::FlatSymbolRefAttr group;
    mlir::Value shard, full;
  };
  void gatherRanges(mlir::ArrayRef<Gather> gathers);
  /// One array to be summed over ranks: each rank is sent its range of `full`,
  /// and sums what comes with its `own` range, in that one's place or onto
  /// `accumulator` if there is one. `first` is the first gradient.
  struct Exchange {
    mlir::Operation *start;
    exec::GroupOp group;
    mlir::FlatSymbolRefAttr first;
    mlir::Value full, own, accumulator;
  };
  void exchangeRanges(mlir::ArrayRef<Exchange> exchanges);

  /// The compute stream does more than its events stand for.
  void endComputeEvents() {
    computeEvent.reset();
    transferEvent.reset();
  }

  // Views are made where first used and then used again.
  mlir::Value getView(mlir::Value value);
  mlir::Value getArenaView(mlir::Location loc, MemoryPlan::Buffer buffer,
                           mlir::MemRefType type,
                           mlir::FlatSymbolRefAttr partOf = {});
  template <typename ViewOp>
  mlir::Value getStateView(mlir::Location loc, mlir::FlatSymbolRefAttr state,
                           mlir::MemRefType type);
  mlir::MemRefType getFlatType(mlir::FlatSymbolRefAttr state);

  train::EntryOp entry;
  mlir::ArrayAttr collectives;
  StateTable &table;
  KernelTable &kernels;
  mlir::OpBuilder builder;
  MemoryPlan plan;
  Placement placement;
  ArenaBuffers buffers;
  mlir::SmallVector<MemoryPlan::Buffer> outputs;

  using ViewKey = std::tuple<const void *, const void *, const void *>;
  llvm::DenseMap<ViewKey, mlir::Value> views;

  llvm::DenseMap<mlir::Operation *, int64_t>
      calls; ///< Of the channel, a start.
  int64_t nextEvent = 0;
  /// The event that stands for all computation so far, if there is one.
  std::optional<int64_t> computeEvent;
  /// The same, for the transfer stream.
  std::optional<int64_t> transferEvent;
  llvm::DenseMap<mlir::Operation *, int64_t> ends; ///< By start.
  /// By stream: its latest event that the compute stream has waited for.
  std::array<std::optional<int64_t>, kMaxStreams> awaited;
};

} // namespace dsc

#endif // DSC_PASSES_LOWER_PROGRAMBUILDER_H
