// Kernels: one private function for each distinct region.

#ifndef DSC_PASSES_LOWER_KERNELTABLE_H
#define DSC_PASSES_LOWER_KERNELTABLE_H

#include "dialects/nn/NnOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace dsc {

class KernelTable {
public:
  /// Functions are inserted through `builder`. `reserved` are names that the
  /// user has taken.
  KernelTable(mlir::OpBuilder &builder, llvm::StringSet<> reserved);

  /// The kernel of a region, whose body moves into it. `inplace` names for each
  /// result the argument whose memory it overwrites, or -1. For each result
  /// numbered in `accumulated` the kernel has a further argument, to which it
  /// adds the result in place.
  mlir::FlatSymbolRefAttr outline(nn::FusionOp fusion,
                                  llvm::ArrayRef<int64_t> inplace,
                                  llvm::ArrayRef<unsigned> accumulated);

  /// acc + value, into the memory of acc.
  mlir::FlatSymbolRefAttr getAdd(mlir::Location loc,
                                 mlir::RankedTensorType type);

  /// The sum of the rows of `rows`, one from each rank, in rank order.
  mlir::FlatSymbolRefAttr getRankSum(mlir::Location loc,
                                     mlir::RankedTensorType rows,
                                     mlir::RankedTensorType result);

  /// The sum over ranks of this one's range of an array, in rank order: of rows
  /// from the ranks below, the rank's own values, and rows from the ranks
  /// above. It goes to where the own values lie, or is added, with
  /// `accumulate`, to a fourth argument in its memory.
  mlir::FlatSymbolRefAttr getRangeSum(mlir::Location loc,
                                      mlir::Type elementType, bool accumulate);

private:
  /// A detached function with an empty body block.
  mlir::func::FuncOp makeKernel(mlir::Location loc, mlir::TypeRange arguments,
                                mlir::TypeRange results, llvm::StringRef kind,
                                llvm::ArrayRef<int64_t> inplace);
  /// Inserts the function, or erases it and takes the equal one.
  mlir::FlatSymbolRefAttr intern(mlir::func::FuncOp kernel);

  mlir::OpBuilder &builder;
  llvm::StringSet<> reserved;
  unsigned next = 0;
  /// By printed form, locations and name left out.
  llvm::StringMap<mlir::FlatSymbolRefAttr> kernels;
};

} // namespace dsc

#endif // DSC_PASSES_LOWER_KERNELTABLE_H
