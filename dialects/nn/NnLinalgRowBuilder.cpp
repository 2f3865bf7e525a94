#include "dialects/nn/NnLinalgRowBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace dsc::nn;
using utils::IteratorType;

RowBuilder::RowBuilder(OpBuilder &builder, Location loc, Value input,
                       int64_t dim)
    : LinalgBuilder(builder, loc), builder(builder), input(input),
      type(cast<RankedTensorType>(input.getType()).getElementType()), dim(dim) {
  sizes = getSizes(input);
  for (int64_t loop = 0, rank = sizes.size(); loop < rank; ++loop) {
    loops.push_back(loop == dim ? IteratorType::reduction
                                : IteratorType::parallel);
    if (loop == dim)
      continue;
    rowLoops.push_back(loop);
    rowSizes.push_back(sizes[loop]);
  }
}

TypedAttr RowBuilder::getFloat(double value) {
  return FloatAttr::get(type, value);
}

SmallVector<Value> RowBuilder::getOperands(ValueRange rows, ValueRange elements,
                                           ValueRange columns) {
  SmallVector<Value> all{input};
  llvm::append_range(all, rows);
  llvm::append_range(all, elements);
  llvm::append_range(all, columns);
  return all;
}

SmallVector<AffineMap> RowBuilder::getMaps(size_t rows, size_t elements,
                                           size_t columns) {
  unsigned rank = sizes.size();
  SmallVector<AffineMap> maps{getIdentityMap(rank)};
  maps.append(rows, getProjection(rank, rowLoops));
  maps.append(elements, getIdentityMap(rank));
  maps.append(columns, getProjection(rank, dim));
  return maps;
}

SmallVector<Value> RowBuilder::reduceRows(ValueRange rows,
                                          ArrayRef<TypedAttr> identities,
                                          Body body, ValueRange elements,
                                          ValueRange columns) {
  SmallVector<Value> inits;
  for (TypedAttr identity : identities)
    inits.push_back(createFilled(rowSizes, identity));
  SmallVector<AffineMap> maps =
      getMaps(rows.size(), elements.size(), columns.size());
  maps.append(inits.size(), getProjection(sizes.size(), rowLoops));
  return createGeneric(getOperands(rows, elements, columns), inits, maps, loops,
                       body);
}

SmallVector<Value> RowBuilder::mapElements(ValueRange rows, Body body,
                                           ValueRange elements,
                                           ValueRange columns) {
  SmallVector<AffineMap> maps =
      getMaps(rows.size(), elements.size(), columns.size());
  maps.push_back(getIdentityMap(sizes.size()));
  SmallVector<IteratorType> parallel(sizes.size(), IteratorType::parallel);
  return createGeneric(getOperands(rows, elements, columns),
                       createEmpty(sizes, type), maps, parallel, body);
}

SmallVector<Value> RowBuilder::mapRows(ValueRange scalars, ValueRange inputs,
                                       ArrayRef<Type> types, Body body) {
  unsigned rank = rowSizes.size();
  SmallVector<Value> all(scalars), inits;
  all.append(inputs.begin(), inputs.end());
  SmallVector<AffineMap> maps(scalars.size(), getProjection(rank, {}));
  maps.resize(all.size() + types.size(), getIdentityMap(rank));
  for (Type type : types)
    inits.push_back(createEmpty(rowSizes, type));
  SmallVector<IteratorType> parallel(rank, IteratorType::parallel);
  return createGeneric(all, inits, maps, parallel, body);
}

SmallVector<Value> RowBuilder::sumRows(ValueRange inputs) {
  unsigned rank = rowSizes.size();
  SmallVector<Value> inits;
  for (Value value : inputs)
    inits.push_back(createFilled(
        {}, builder.getZeroAttr(getElementTypeOrSelf(value.getType()))));
  SmallVector<AffineMap> maps(inputs.size(), getIdentityMap(rank));
  maps.append(inputs.size(), getProjection(rank, {}));
  SmallVector<IteratorType> reduction(rank, IteratorType::reduction);
  return createGeneric(
      inputs, inits, maps, reduction,
      [&](OpBuilder &b, Location loc, ValueRange x) {
        SmallVector<Value> sums;
        for (size_t i = 0; i < inputs.size(); ++i)
          sums.push_back(arith::AddFOp::create(
              b, loc, x[i], x[inputs.size() + i], kReassociate));
        return sums;
      });
}

Value RowBuilder::reduceMax() {
  TypedAttr least = getFloat(-std::numeric_limits<double>::infinity());
  return reduceRows({}, least, [](OpBuilder &b, Location loc, ValueRange x) {
    return SmallVector<Value>{
        arith::MaximumFOp::create(b, loc, x[0], x[1], kReassociate)};
  })[0];
}

Value RowBuilder::mapExponentials(Value max) {
  return mapElements(max, [](OpBuilder &b, Location loc, ValueRange x) {
    Value shifted = arith::SubFOp::create(b, loc, x[0], x[1], kContract);
    return SmallVector<Value>{math::ExpOp::create(b, loc, shifted, kContract)};
  })[0];
}

Value RowBuilder::reduceSum() {
  return reduceRows(
      {}, getFloat(0), [](OpBuilder &b, Location loc, ValueRange x) {
        return SmallVector<Value>{
            arith::AddFOp::create(b, loc, x[0], x[1], kReassociate)};
      })[0];
}

Value RowBuilder::reduceExponentials(Value max) {
  return reduceRows(
      max, getFloat(0), [](OpBuilder &b, Location loc, ValueRange x) {
        Value shifted = arith::SubFOp::create(b, loc, x[0], x[1], kContract);
        Value power = math::ExpOp::create(b, loc, shifted, kContract);
        return SmallVector<Value>{
            arith::AddFOp::create(b, loc, power, x[2], kReassociate)};
      })[0];
}
