/// Writes nn expressions as formulas: one short method an operation.

#ifndef DSC_PASSES_DIFFERENTIATE_TENSORBUILDER_H
#define DSC_PASSES_DIFFERENTIATE_TENSORBUILDER_H

#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "mlir/IR/Builders.h"

namespace dsc {

class TensorBuilder {
public:
  TensorBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  using Value = mlir::Value;
  using Type = mlir::RankedTensorType;

  static Type typeOf(Value value) { return llvm::cast<Type>(value.getType()); }

  /// A scalar type: `tensor<f64>` for f64.
  static Type scalar(mlir::Type elementType) {
    return Type::get({}, elementType);
  }

  Value constant(double value, Type type) {
    return nn::createSplat(builder, loc, type, value);
  }
  /// A scalar in f64.
  Value constant(double value) {
    return constant(value, scalar(builder.getF64Type()));
  }

  Value add(Value a, Value b) { return nn::AddOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return nn::SubOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return nn::MulOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return nn::DivOp::create(builder, loc, a, b); }
  Value max(Value a, Value b) { return nn::MaxOp::create(builder, loc, a, b); }
  Value min(Value a, Value b) { return nn::MinOp::create(builder, loc, a, b); }
  Value pow(Value a, Value b) { return nn::PowOp::create(builder, loc, a, b); }
  Value neg(Value a) { return nn::NegOp::create(builder, loc, a); }
  Value exp(Value a) { return nn::ExpOp::create(builder, loc, a); }
  Value log(Value a) { return nn::LogOp::create(builder, loc, a); }
  Value sqrt(Value a) { return nn::SqrtOp::create(builder, loc, a); }
  Value cos(Value a) { return nn::CosOp::create(builder, loc, a); }

  Value logicalAnd(Value a, Value b) {
    return nn::AndOp::create(builder, loc, a, b);
  }
  Value logicalNot(Value a) { return nn::NotOp::create(builder, loc, a); }
  Value isFinite(Value a) { return nn::IsFiniteOp::create(builder, loc, a); }
  Value compare(nn::ComparePredicate predicate, Value a, Value b) {
    return nn::CompareOp::create(builder, loc, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return nn::SelectOp::create(builder, loc, condition, a, b);
  }

  /// Returns `a` itself when it has the element type already.
  Value cast(Value a, mlir::Type elementType) {
    if (typeOf(a).getElementType() == elementType)
      return a;
    return nn::CastOp::create(builder, loc, a, elementType);
  }
  /// Returns `a` itself when it has the shape already.
  Value reshape(Value a, llvm::ArrayRef<int64_t> shape) {
    Type type = typeOf(a).clone(shape);
    if (type == a.getType())
      return a;
    return nn::ReshapeOp::create(builder, loc, type, a);
  }
  /// Repeats the dimensions of `a`, which become `dims` of the result.
  Value broadcast(Value a, llvm::ArrayRef<int64_t> shape,
                  llvm::ArrayRef<int64_t> dims) {
    return nn::BroadcastOp::create(builder, loc, typeOf(a).clone(shape), a,
                                   dims);
  }
  /// The sum of all elements, as a scalar.
  Value sumAll(Value a) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(a).getRank()));
    return nn::ReduceSumOp::create(builder, loc, a, dims, /*keep_dims=*/false);
  }

  Value read(llvm::StringRef symbol, mlir::Type type) {
    return train::ReadOp::create(builder, loc, type, symbol);
  }
  /// Reads a scalar in f64.
  Value read(llvm::StringRef symbol) {
    return read(symbol, scalar(builder.getF64Type()));
  }
  void write(llvm::StringRef symbol, Value value) {
    train::WriteOp::create(builder, loc, symbol, value);
  }
  /// Adds `value`, converted to f64, to a scalar accumulator.
  void accumulate(llvm::StringRef symbol, Value value) {
    train::AccumulateOp::create(builder, loc, symbol,
                                cast(value, builder.getF64Type()));
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace dsc

#endif // DSC_PASSES_DIFFERENTIATE_TENSORBUILDER_H
