/// Writes a loss into @forward, as a pair of sum and weight.

#ifndef DSC_PASSES_DIFFERENTIATE_LOSSBUILDER_H
#define DSC_PASSES_DIFFERENTIATE_LOSSBUILDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/differentiate/LossSpec.h"
#include "passes/differentiate/TensorBuilder.h"

namespace dsc {

/// A loss of one micro-batch: `sum` / `weight` is the mean. Both are scalars of
/// one float type.
struct LossPair {
  mlir::Value sum;
  mlir::Value weight;
  /// Number of samples whose largest score is the label's, for losses over
  /// classes; else null.
  mlir::Value correct;
  /// What `weight` is when no sample is padding and no label is ignored.
  double nominal = 1.0;
};

/// Builds losses before the terminator of `forward`, at the location given.
/// Adds inputs where the loss needs some; every new input carries its name and
/// role. Reports at `forward`.
class LossBuilder {
public:
  LossBuilder(mlir::func::FuncOp forward, mlir::OpBuilder &builder,
              mlir::Location loc)
      : forward(forward), t(builder, loc) {}

  /// The loss that `spec` asks for, computed from `output`. Reports and fails
  /// where shapes or types do not fit.
  mlir::FailureOr<LossPair> build(const LossSpec &spec, mlir::Value output);

  /// The loss that the model computes itself: `output` has one element.
  LossPair adopt(mlir::Value output, llvm::StringRef name);

private:
  mlir::FailureOr<LossPair> buildCrossEntropy(const LossSpec &spec,
                                              mlir::Value output);
  /// The labels that cross-entropy compares `output` with, before any shift.
  mlir::FailureOr<mlir::BlockArgument> getLabels(const LossSpec &spec,
                                                 mlir::Value output);
  LossPair buildElementwise(LossKind kind, mlir::Value output,
                            mlir::Value target);

  /// The input `name`, or a new one of `type`. An input of the model keeps its
  /// use there and gets `role` only if the loss is its first use.
  mlir::FailureOr<mlir::BlockArgument>
  getOrAddInput(llvm::StringRef name, mlir::RankedTensorType type,
                llvm::StringRef role);
  /// A new input with one weight for each sample of `output`; null, with a
  /// remark, when the first dimension of `output` is not that of the data.
  mlir::Value addSampleWeights(mlir::Value output);
  /// Labels of classes: tells the range that the runtime checks, and how far
  /// from the tokens of a text they are.
  void describeLabels(mlir::BlockArgument labels, int64_t classes,
                      int64_t ignoreIndex, int64_t shift);
  /// Without the first `shift` elements along the last dimension; zeros follow
  /// the last one instead.
  mlir::Value shiftLeft(mlir::Value value, int64_t shift);
  /// Replaces the elements of samples of weight 0 by zeros, so that whatever
  /// padding holds reaches neither the loss nor a gradient.
  mlir::Value clearPadding(mlir::Value value, mlir::Value isCounted);

  mlir::func::FuncOp forward;
  TensorBuilder t;
};

} // namespace dsc

#endif // DSC_PASSES_DIFFERENTIATE_LOSSBUILDER_H
