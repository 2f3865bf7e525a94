// Writes the program of one entry.

#ifndef DSC_PASSES_LOWER_PROGRAMBUILDER_H
#define DSC_PASSES_LOWER_PROGRAMBUILDER_H

#include "passes/analysis/Placement.h"
#include "passes/lower/KernelTable.h"
#include "passes/lower/Passes.h"
#include "passes/lower/PlanArena.h"
#include "passes/lower/StateTable.h"

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
  void emitGather(zero::GatherStartOp op);
  void emitReduceScatter(zero::ReduceScatterStartOp op);
  /// Sums whole accumulators over ranks: the range of each rank, or all of them
  /// on every rank.
  mlir::LogicalResult emitReduceGradients(mlir::Operation *start,
                                          mlir::FlatSymbolRefAttr groupName,
                                          bool toAll);
  void emitRefresh(zero::RefreshStartOp op);
  void emitAllReduce(zero::AllReduceStartOp op);
  void emitAwait(mlir::Operation *op);
  /// Puts a value where a collective expects it, unless it lies there.
  void provide(mlir::Operation *op, mlir::Value value,
               MemoryPlan::Buffer buffer);
  /// One call of the channel.
  template <typename Op, typename... Arguments>
  void call(mlir::Location loc, Arguments &&...arguments) {
    Op::create(builder, loc, std::forward<Arguments>(arguments)...);
    ++callCount;
  }
  /// Makes the communication stream wait for all computation so far.
  void beginCommunication(mlir::Location loc);
  /// Records what the await of `start` waits for.
  void endCommunication(mlir::Operation *start);
  /// Sends each rank its range of the whole array `full` of a group, and sums
  /// what comes with this rank's `own` range: in its place, or onto
  /// `accumulator` if there is one. `first` is the first gradient.
  void exchangeRanges(mlir::Location loc, exec::GroupOp group,
                      mlir::FlatSymbolRefAttr first, mlir::Value full,
                      mlir::Value own, mlir::Value accumulator);

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

  int64_t callCount = 0;            ///< Of the channel, up to here.
  llvm::SmallVector<int64_t> calls; ///< Of each of `collectives`.
  int64_t nextEvent = 0;
  /// The event that stands for all computation so far, if there is one.
  std::optional<int64_t> computeEvent;
  /// The same, for the transfer stream.
  std::optional<int64_t> transferEvent;
  llvm::DenseMap<mlir::Operation *, int64_t> ends; ///< By start.
};

} // namespace dsc

#endif // DSC_PASSES_LOWER_PROGRAMBUILDER_H
