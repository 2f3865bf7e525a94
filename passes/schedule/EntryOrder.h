// What keeps the operations of an entry in order besides SSA values.

#ifndef DSC_PASSES_SCHEDULE_ENTRYORDER_H
#define DSC_PASSES_SCHEDULE_ENTRYORDER_H

#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Whether `op` starts what another operation awaits.
bool isStart(mlir::Operation *op);

/// The await of a start in the async form, whose token has one use; null where
/// the form is broken.
mlir::Operation *getAwait(mlir::Operation *start);

/// The first and the last operation that uses `value` or a view of it; null if
/// none does. A release counts as neither.
mlir::Operation *findFirstUse(mlir::Value value);
mlir::Operation *findLastUse(mlir::Value value);

/// As the members of Operation, but the block still knows the order of all
/// others: behind one of those it numbers all operations anew, for each of
/// thousands of moves.
void moveBefore(mlir::Operation *op, mlir::Operation *place);
void moveAfter(mlir::Operation *op, mlir::Operation *place);

/// Answers for one entry in the async form. Operations may be moved between two
/// questions: an answer is about where they stand then.
class EntryOrder {
public:
  EntryOrder(train::EntryOp entry, const StateMap &states);

  /// The last operation ahead of `start` that it depends on, by its operands or
  /// by what it touches; null if it may begin the entry.
  mlir::Operation *findDependence(mlir::Operation *start) const;

  /// The first operation behind `start` that must stay behind its await: the
  /// end of the entry if nothing else.
  mlir::Operation *findDependent(mlir::Operation *start) const;

private:
  struct Access {
    mlir::Operation *op;
    bool writes;
  };
  void add(mlir::Operation *op, llvm::ArrayRef<StateAccess> touched);
  void visitConflicts(mlir::Operation *start,
                      llvm::function_ref<void(mlir::Operation *)> visit) const;

  mlir::Block &block;
  const StateMap &states;
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<Access, 4>> accesses;
  /// Operations whose effects are not understood.
  llvm::SmallVector<mlir::Operation *> unknown;
};

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_ENTRYORDER_H
