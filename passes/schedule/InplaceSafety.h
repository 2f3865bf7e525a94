// When a region may overwrite the state that it updates.

#ifndef DSC_PASSES_SCHEDULE_INPLACESAFETY_H
#define DSC_PASSES_SCHEDULE_INPLACESAFETY_H

#include "dialects/nn/NnOps.h"
#include "passes/analysis/StateAccess.h"

namespace dsc {

/// Answers for one entry. A read of a state is a view of its memory, so a
/// region that overwrites it changes every other read of it, too.
class InplaceSafety {
public:
  InplaceSafety(mlir::Block &block, const StateMap &states);

  /// The write that is the only use of the region's result, or null.
  static mlir::Operation *getWrite(nn::FusionOp fusion, unsigned result);

  /// The operand that reads what the result is written to, if any.
  static std::optional<unsigned> findOperand(nn::FusionOp fusion,
                                             unsigned result);

  /// Why `result` must not overwrite `operand`; empty if it may.
  std::string getHazard(nn::FusionOp fusion, unsigned result,
                        unsigned operand) const;

private:
  struct Access {
    mlir::Operation *op;
    bool writes;
  };
  bool isUsedFrom(mlir::Value value, mlir::Operation *from,
                  mlir::OpOperand *allowed) const;

  /// In program order.
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<Access, 4>> accesses;
  /// Operations whose effects are not understood.
  llvm::SmallVector<mlir::Operation *> unknown;
};

} // namespace dsc

#endif // DSC_PASSES_SCHEDULE_INPLACESAFETY_H
