/// @forward with its loss pair, as differentiate-attach-loss leaves it, and how
/// entries are made from it.

#ifndef DSC_PASSES_DIFFERENTIATE_FORWARD_H
#define DSC_PASSES_DIFFERENTIATE_FORWARD_H

#include "dialects/train/TrainOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace dsc {

struct Forward {
  mlir::func::FuncOp function;
  /// Values that the function returns as its loss; `correct` may be null. All
  /// are null before differentiate-attach-loss.
  mlir::Value lossSum, lossWeight, correct;
  /// Weight of a full micro-batch.
  double nominal = 1.0;
  /// The model's outputs and their result attributes.
  llvm::SmallVector<mlir::Value> outputs;
  llvm::SmallVector<mlir::DictionaryAttr> outputAttrs;

  /// Finds `@forward` in `module`; reports and fails when there is none.
  static mlir::FailureOr<Forward> get(mlir::ModuleOp module);
  /// Likewise when it has no loss.
  static mlir::FailureOr<Forward> getWithLoss(mlir::ModuleOp module);

  /// Appends an entry to `module` whose inputs are those of the function and
  /// whose body is what the `kept` values need, in program order, without a
  /// terminator. Only steps drop out. `mapping` leads from the function's
  /// values to the entry's.
  train::EntryOp cloneInto(mlir::ModuleOp module, llvm::StringRef name,
                           train::EntryKind kind, mlir::ValueRange kept,
                           llvm::ArrayRef<mlir::Type> results,
                           llvm::ArrayRef<mlir::DictionaryAttr> resultAttrs,
                           mlir::IRMapping &mapping);
};

} // namespace dsc

#endif // DSC_PASSES_DIFFERENTIATE_FORWARD_H
