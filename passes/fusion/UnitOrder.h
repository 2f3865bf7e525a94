// Order of the units of a fusion plan, from what each must follow.

#ifndef DSC_PASSES_FUSION_UNITORDER_H
#define DSC_PASSES_FUSION_UNITORDER_H

#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Sorts units, which are numbers, so that each follows what it depends on, and
/// otherwise as they stand in the program.
class UnitSorter {
public:
  /// Adds the next unit, which stands at `position`, and gives its number.
  unsigned add(unsigned position);

  /// Makes unit `after` follow unit `before`. Once a pair or often is the same.
  void addDependence(unsigned before, unsigned after);

  /// The units in order. Units on a cycle are missing.
  std::vector<unsigned> sort();

private:
  struct Unit {
    unsigned position;
    llvm::SmallVector<unsigned, 4> successors;
    /// Dependences that are not met yet.
    unsigned missing = 0;
  };
  std::vector<Unit> units;
};

/// Finds which earlier units an operation must follow because both touch one
/// state. Only the nearest are named, so that their sum is linear.
class StateOrder {
public:
  void visit(mlir::Operation *op, unsigned unit, const StateMap &states,
             llvm::function_ref<void(unsigned)> follows);

private:
  struct Symbol {
    std::optional<unsigned> writer;
    llvm::SmallVector<unsigned, 2> readers;
  };
  llvm::DenseMap<mlir::StringAttr, Symbol> symbols;
  /// The last operation whose effects are not understood, and what touched any
  /// state since then.
  std::optional<unsigned> fence;
  llvm::SmallVector<unsigned> sinceFence;
};

} // namespace dsc

#endif // DSC_PASSES_FUSION_UNITORDER_H
