// Private to the dialect: a short way to write formulas for gradients.

#ifndef DSC_DIALECTS_NN_NNGRADIENT_H
#define DSC_DIALECTS_NN_NNGRADIENT_H

#include "dialects/nn/NnOps.h"

namespace dsc::nn {

/// Emits operations at one location. Operands of a call have one type.
class GradientBuilder {
public:
  GradientBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  template <typename OpTy, typename... Args>
  mlir::Value create(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...);
  }

  mlir::Value neg(mlir::Value x) { return create<NegOp>(x); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return create<AddOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return create<SubOp>(x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return create<MulOp>(x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return create<DivOp>(x, y); }

  mlir::Value compare(ComparePredicate predicate, mlir::Value x,
                      mlir::Value y) {
    return create<CompareOp>(predicate, x, y);
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return create<SelectOp>(condition, x, y);
  }

  /// A constant with the type of `like`.
  mlir::Value constant(mlir::Value like, double value);

  /// `value`, or 0 where `gradient` is 0: the product of a gradient that does
  /// not arrive and an infinite derivative is 0 and not NaN.
  mlir::Value unlessZero(mlir::Value gradient, mlir::Value value);

  /// Repeats `x` along `dims` of `type`, which a reduction removed from it, or
  /// kept with size 1.
  mlir::Value expand(mlir::Value x, mlir::RankedTensorType type,
                     llvm::ArrayRef<int64_t> dims, bool keptDims);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace dsc::nn

#endif // DSC_DIALECTS_NN_NNGRADIENT_H
