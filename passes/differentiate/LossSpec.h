/// The text of `--loss`, parsed.

#ifndef DSC_PASSES_DIFFERENTIATE_LOSSSPEC_H
#define DSC_PASSES_DIFFERENTIATE_LOSSSPEC_H

#include "mlir/IR/Diagnostics.h"
#include <string>

namespace dsc {

/// What is minimised. `Output` is a value that the model computes itself.
enum class LossKind {
  Output,
  CrossEntropy,
  MeanSquaredError,
  BinaryCrossEntropy,
  Sum
};

struct LossSpec {
  LossKind kind = LossKind::Output;
  /// Name of the model output that the loss is computed from; empty for
  /// `Output` when the user named none.
  std::string output;
  /// Name of the labels or the target, for the kinds that compare.
  std::string target;
  /// Label value whose rows do not count; cross_entropy only.
  int64_t ignoreIndex = -100;
  /// Position t predicts label t + shift; cross_entropy only.
  int64_t shift = 0;

  /// Parses `text`; a text that is one of `outputs` names that output, however
  /// it is spelled. Reports at `loc` what is wrong.
  static mlir::FailureOr<LossSpec>
  parse(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> outputs,
        mlir::Location loc);
};

} // namespace dsc

#endif // DSC_PASSES_DIFFERENTIATE_LOSSSPEC_H
