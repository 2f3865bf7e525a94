// Proves that a program's accesses to memory are ordered, within the arena, and
// find what the program wrote for them.

#ifndef DSC_PASSES_LOWER_RACECHECK_H
#define DSC_PASSES_LOWER_RACECHECK_H

#include "dialects/exec/ExecOps.h"
#include "passes/analysis/HappensBefore.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>

namespace dsc {

/// The states of a module, and which of them lie in one copy of a group's flat
/// space.
class StateCopies {
public:
  explicit StateCopies(mlir::ModuleOp module);

  exec::StateOp getState(mlir::StringAttr symbol) const {
    return states.lookup(symbol);
  }
  /// All states in the copy that holds `symbol`.
  llvm::ArrayRef<exec::StateOp> getCopy(mlir::StringAttr symbol) const {
    return copies[copyOf.lookup(symbol)];
  }
  bool sharesCopy(mlir::StringAttr a, mlir::StringAttr b) const {
    return copyOf.lookup(a) == copyOf.lookup(b);
  }

private:
  llvm::DenseMap<mlir::StringAttr, exec::StateOp> states;
  llvm::DenseMap<mlir::StringAttr, unsigned> copyOf;
  llvm::SmallVector<llvm::SmallVector<exec::StateOp, 1>> copies;
};

/// Follows one program op by op. Every fault is reported on the op that makes
/// it, with a note on the earlier op where there is one.
class RaceCheck {
public:
  RaceCheck(exec::ProgramOp program, const StateCopies &copies);

  mlir::LogicalResult run();

private:
  struct Touch {
    mlir::Operation *op = nullptr;
    uint32_t index = 0;
  };
  /// Bytes with one history: for each stream the last write and the last read
  /// since all streams agree on what was written last.
  struct Cell {
    int64_t end = 0;
    bool written = false;
    /// Of the arena: what the bytes were written as.
    std::optional<int64_t> buffer;
    llvm::SmallVector<Touch, 2> writes, reads;
  };
  using Cells = std::map<int64_t, Cell>; ///< By first byte; disjoint.

  void checkWork(exec::AccessOpInterface op);
  void checkOverlap(exec::AccessOpInterface op,
                    llvm::ArrayRef<exec::Access> accesses);
  void checkOutputs();
  void access(mlir::Operation *op, const Point &point,
              const exec::Access &access, const exec::Place &place);
  void touch(mlir::Operation *op, const Point &point,
             const exec::Access &access, Cells &cells, int64_t begin,
             int64_t end, bool written, std::optional<int64_t> buffer = {});
  void checkOrder(mlir::Operation *op, const Point &point,
                  llvm::ArrayRef<Touch> earlier, llvm::StringRef what);
  bool overlap(const exec::Place &a, const exec::Place &b) const;
  mlir::InFlightDiagnostic error(mlir::Operation *op);

  exec::ProgramOp program;
  const StateCopies &copies;
  HappensBefore order;
  Cells arena;
  llvm::DenseMap<mlir::StringAttr, Cells> states;
  mlir::Operation *lastReported = nullptr;
  bool failed = false;
};

} // namespace dsc

#endif // DSC_PASSES_LOWER_RACECHECK_H
