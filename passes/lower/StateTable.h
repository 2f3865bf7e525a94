// The state table: what outlives a program, as rows of exec.state and
// exec.group.

#ifndef DSC_PASSES_LOWER_STATETABLE_H
#define DSC_PASSES_LOWER_STATETABLE_H

#include "dialects/exec/ExecOps.h"
#include "passes/analysis/StateAccess.h"

#include "mlir/IR/Builders.h"

namespace dsc {

/// Makes the rows of a module's parameters, states and groups in module order,
/// and staging rows on demand.
class StateTable {
public:
  /// Rows are inserted through `builder`, which must stand where tables go.
  StateTable(mlir::ModuleOp module, mlir::OpBuilder &builder, int64_t maxWorld);

  const StateMap &getMap() const { return map; }

  exec::StateOp getState(mlir::FlatSymbolRefAttr symbol) const;
  exec::GroupOp getGroup(mlir::FlatSymbolRefAttr symbol) const;

  /// The gradient accumulator of a parameter; null, after an error on `user`,
  /// if there is none.
  mlir::FlatSymbolRefAttr getGradient(mlir::Operation *user,
                                      mlir::FlatSymbolRefAttr parameter) const;

  /// The staging state that takes one shard of `group` from each rank, where
  /// `group` is number `position` of those that travel in one message.
  mlir::FlatSymbolRefAttr getShardStaging(exec::GroupOp group, size_t position);
  /// The staging state that takes `elements` values from each rank.
  mlir::FlatSymbolRefAttr getRowStaging(mlir::Type elementType,
                                        int64_t elements);

private:
  exec::StateOp addRow(mlir::Location loc, llvm::StringRef name,
                       exec::StateClass stateClass,
                       mlir::RankedTensorType type);
  void addGroup(zero::GroupOp group);
  void addParameter(train::ParameterOp parameter);
  void addState(train::StateOp state);
  void setSegment(exec::StateOp row, mlir::StringAttr owner);

  StateMap map;
  mlir::OpBuilder &builder;
  int64_t maxWorld;
  int64_t stateCount = 0, groupCount = 0;
  llvm::DenseMap<mlir::StringAttr, exec::StateOp> states;
  llvm::DenseMap<mlir::StringAttr, exec::GroupOp> groups;
  /// By parameter.
  llvm::DenseMap<mlir::StringAttr, zero::SegmentAttr> segments;
  /// By element type.
  llvm::DenseMap<mlir::Type, llvm::SmallVector<exec::StateOp>> shardStaging;
  llvm::DenseMap<mlir::Type, exec::StateOp> rowStaging;
};

} // namespace dsc

#endif // DSC_PASSES_LOWER_STATETABLE_H
