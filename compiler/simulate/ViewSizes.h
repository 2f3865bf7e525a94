#ifndef DSC_COMPILER_SIMULATE_VIEWSIZES_H
#define DSC_COMPILER_SIMULATE_VIEWSIZES_H

#include "compiler/plan/RankPlan.h"
#include "dialects/exec/ExecOps.h"

namespace dsc {

/// How much memory exec views name once there is a number of ranks.
class ViewSizes {
public:
  /// `plan` is that of `module`; both outlive this object.
  ViewSizes(mlir::ModuleOp module, const RankPlan &plan);

  /// Elements of a view. Of a part of a tensor it is the mean over all ranks:
  /// that of one depends on where its range lies, and what it does not own of
  /// one tensor it owns of the next.
  uint64_t getElements(mlir::Value view) const;
  uint64_t getBytes(mlir::Value view) const;

  /// Elements that a rank owns of a group.
  uint64_t getShardElements(llvm::StringRef group) const;

private:
  uint64_t getPartElements(llvm::StringRef state) const;
  /// The group of a state; null without one.
  const GroupPlan *getGroup(llvm::StringRef state) const;

  mlir::SymbolTable symbols;
  llvm::StringMap<const GroupPlan *> groups;
  uint64_t ranks;
};

} // namespace dsc

#endif // DSC_COMPILER_SIMULATE_VIEWSIZES_H
