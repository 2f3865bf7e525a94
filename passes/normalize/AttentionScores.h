#ifndef DSC_PASSES_NORMALIZE_ATTENTIONSCORES_H
#define DSC_PASSES_NORMALIZE_ATTENTIONSCORES_H

#include "passes/normalize/AttentionMasks.h"
#include "passes/normalize/Matchers.h"
#include <string>

namespace dsc {

/// What softmax is taken of in attention: a scaled product of queries and keys,
/// to which masks and biases are added, or whose elements masks replace.
class AttentionScores {
public:
  AttentionScores(KnownValues &known, AttentionMasks &masks)
      : known(known), masks(masks) {}

  /// Whether `scores` [batch.., Tq, Tk] are of that form.
  bool match(mlir::Value scores);
  /// Why they are not; "" where no product was found at all.
  llvm::StringRef getReason() const { return reason; }

  nn::MatmulOp getProduct() const { return product; }
  double getScale() const { return scale; }
  /// Whether query i sees the keys up to i + Tk - Tq, and no others.
  bool isCausal() const { return causal; }
  /// What is added to the scaled product, of the rank of the scores and size 1
  /// where it is repeated. Null if nothing is.
  mlir::Value buildBias(mlir::OpBuilder &builder, mlir::Location loc);

private:
  /// `value * factor` is added to the scores.
  struct Addend {
    mlir::Value value;
    double factor;
  };
  /// A key is visible where `condition` has the value `visible`.
  struct Mask {
    mlir::Value condition;
    bool visible;
  };

  bool matchTerm(mlir::Value value, double factor, unsigned depth);
  bool matchSum(mlir::Operation *op, double factor, unsigned depth);
  bool matchSelect(nn::SelectOp op, double factor, unsigned depth);
  bool addAddend(mlir::Value value, double factor);
  bool addMask(mlir::Value condition, bool visible, double hidden);
  bool fail(const llvm::Twine &why);

  KnownValues &known;
  AttentionMasks &masks;
  nn::MatmulOp product;
  double scale = 1;
  bool causal = false;
  /// Inside a reshape of the batch dimensions, where a mask has another shape.
  bool regrouped = false;
  llvm::SmallVector<Addend> addends;
  llvm::SmallVector<Mask> conditions;
  std::string reason;
};

} // namespace dsc

#endif // DSC_PASSES_NORMALIZE_ATTENTIONSCORES_H
