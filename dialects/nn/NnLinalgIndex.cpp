// Lowering of operations that read at computed places. Each is one parallel
// loop nest over the result that extracts from whole operands, always within
// their bounds: a place outside is moved inside, and what was read there is not
// selected.

#include "dialects/nn/NnLinalg.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace dsc::nn;
using utils::IteratorType;

namespace {

/// Arithmetic on indices.
class IndexBuilder {
public:
  IndexBuilder(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// The index of a loop.
  Value loop(int64_t dim) { return linalg::IndexOp::create(builder, loc, dim); }
  SmallVector<Value> loops(int64_t begin, int64_t end) {
    return llvm::map_to_vector(llvm::seq<int64_t>(begin, end),
                               [&](int64_t dim) { return loop(dim); });
  }
  template <typename OpTy> Value create(Value x, int64_t y) {
    return OpTy::create(builder, loc, x, constant(y));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(builder, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(builder, loc, condition, x, y);
  }
  Value both(Value x, Value y) {
    return x ? arith::AndIOp::create(builder, loc, x, y) : y;
  }
  Value extract(Value tensor, ValueRange indices) {
    return tensor::ExtractOp::create(builder, loc, tensor, indices);
  }
  Value scalar(Type type, double value) {
    TypedAttr attribute =
        isa<FloatType>(type)
            ? TypedAttr(FloatAttr::get(type, value))
            : TypedAttr(IntegerAttr::get(type, static_cast<int64_t>(value)));
    return arith::ConstantOp::create(builder, loc, attribute);
  }

  /// The row, counted from the start, that an element of an index tensor names
  /// among `size` rows. One out of range is no less than `size` as an unsigned
  /// number.
  Value row(Value element, int64_t size) {
    Value index = arith::IndexCastOp::create(builder, loc,
                                             builder.getIndexType(), element);
    Value isNegative = compare(arith::CmpIPredicate::slt, index, constant(0));
    return select(isNegative, create<arith::AddIOp>(index, size), index);
  }

private:
  OpBuilder &builder;
  Location loc;
};

} // namespace

using Element = llvm::function_ref<Value(IndexBuilder &)>;

/// One parallel loop nest over the result of `op`, with `element` as its body.
static FailureOr<SmallVector<Value>>
createNest(Operation *op, OpBuilder &builder, Element element) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto isStatic = [](Type type) {
    return cast<ShapedType>(type).hasStaticShape();
  };
  if (!isStatic(type) || !llvm::all_of(op->getOperandTypes(), isStatic))
    return op->emitOpError("cannot be lowered with a `?` dimension");
  LinalgBuilder b(builder, op->getLoc());
  Value init = b.createEmpty(
      getAsIndexOpFoldResult(builder.getContext(), type.getShape()),
      type.getElementType());
  SmallVector<IteratorType> iterators(type.getRank(), IteratorType::parallel);
  return b.createGeneric({}, init, b.getIdentityMap(type.getRank()), iterators,
                         [&](OpBuilder &nested, Location loc, ValueRange) {
                           IndexBuilder index(nested, loc);
                           return SmallVector<Value>{element(index)};
                         });
}

static bool isEmpty(Value tensor) {
  return llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(),
                            0);
}

//===----------------------------------------------------------------------===//
// iota, slice, pad, concat
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> IotaOp::lowerToLinalg(OpBuilder &builder,
                                                    ValueRange) {
  Type type = getType().getElementType();
  LinalgBuilder b(builder, getLoc());
  Value init = b.createEmpty(
      getAsIndexOpFoldResult(builder.getContext(), getType().getShape()), type);
  SmallVector<IteratorType> iterators(getType().getRank(),
                                      IteratorType::parallel);
  return b.createGeneric(
      {}, init, b.getIdentityMap(getType().getRank()), iterators,
      [&](OpBuilder &b, Location loc, ValueRange) {
        Value index = linalg::IndexOp::create(b, loc, getDim());
        Type integer = isa<FloatType>(type) ? b.getI64Type() : type;
        Value value = arith::IndexCastOp::create(b, loc, integer, index);
        if (isa<FloatType>(type))
          value = arith::SIToFPOp::create(b, loc, type, value);
        return SmallVector<Value>{value};
      });
}

FailureOr<SmallVector<Value>> SliceOp::lowerToLinalg(OpBuilder &builder,
                                                     ValueRange operands) {
  return createNest(*this, builder, [&](IndexBuilder &b) {
    SmallVector<Value> places;
    for (auto [dim, offset, stride] :
         llvm::enumerate(getOffsets(), getStrides())) {
      Value place = b.loop(dim);
      if (stride != 1)
        place = b.create<arith::MulIOp>(place, stride);
      if (offset != 0)
        place = b.create<arith::AddIOp>(place, offset);
      places.push_back(place);
    }
    return b.extract(operands[0], places);
  });
}

FailureOr<SmallVector<Value>> PadOp::lowerToLinalg(OpBuilder &builder,
                                                   ValueRange operands) {
  Type type = getType().getElementType();
  return createNest(*this, builder, [&](IndexBuilder &b) {
    Value zero = b.scalar(type, 0), inside;
    if (isEmpty(operands[0]))
      return zero;
    SmallVector<Value> places;
    for (int64_t dim = 0; dim < getType().getRank(); ++dim) {
      int64_t low = getLow()[dim], gap = getInterior()[dim];
      int64_t size = getInput().getType().getDimSize(dim);
      Value place = b.loop(dim);
      if (size != getType().getDimSize(dim)) {
        // Unsigned: what lies before the first element is far behind the last.
        Value distance = b.create<arith::SubIOp>(place, low);
        place = gap ? b.create<arith::DivUIOp>(distance, gap + 1) : distance;
        Value isElement =
            b.compare(arith::CmpIPredicate::ult, place, b.constant(size));
        if (gap)
          isElement = b.both(
              isElement, b.compare(arith::CmpIPredicate::eq,
                                   b.create<arith::RemUIOp>(distance, gap + 1),
                                   b.constant(0)));
        place = b.select(isElement, place, b.constant(0));
        inside = b.both(inside, isElement);
      }
      places.push_back(place);
    }
    Value element = b.extract(operands[0], places);
    return inside ? b.select(inside, element, zero) : element;
  });
}

FailureOr<SmallVector<Value>> ConcatOp::lowerToLinalg(OpBuilder &builder,
                                                      ValueRange operands) {
  return createNest(*this, builder, [&](IndexBuilder &b) {
    int64_t dim = getDim(), begin = 0;
    SmallVector<Value> places = b.loops(0, getType().getRank());
    Value place = places[dim], result;
    for (Value operand : operands) {
      int64_t size = cast<RankedTensorType>(operand.getType()).getDimSize(dim);
      if (size == 0)
        continue;
      Value distance = begin ? b.create<arith::SubIOp>(place, begin) : place;
      distance = b.create<arith::MaxSIOp>(distance, 0);
      places[dim] = b.create<arith::MinSIOp>(distance, size - 1);
      Value element = b.extract(operand, places);
      result = result ? b.select(b.compare(arith::CmpIPredicate::sge, place,
                                           b.constant(begin)),
                                 element, result)
                      : element;
      begin += size;
    }
    // Without elements the body never runs.
    return result ? result : b.scalar(getType().getElementType(), 0);
  });
}

//===----------------------------------------------------------------------===//
// gather, scatter_add
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> GatherOp::lowerToLinalg(OpBuilder &builder,
                                                      ValueRange operands) {
  Type type = getType().getElementType();
  int64_t dim = getDim(), rank = getIndices().getType().getRank();
  int64_t size = getData().getType().getDimSize(dim);
  return createNest(*this, builder, [&](IndexBuilder &b) {
    Value missing = b.scalar(
        type,
        isa<FloatType>(type) ? std::numeric_limits<double>::quiet_NaN() : 0);
    // Rows of nothing hold nothing either: only the rows may be none.
    if (isEmpty(operands[0]))
      return missing;
    Value index = b.extract(operands[1], b.loops(dim, dim + rank));
    Value row = b.row(index, size);
    Value isRow = b.compare(arith::CmpIPredicate::ult, row, b.constant(size));
    SmallVector<Value> places = b.loops(0, dim);
    places.push_back(b.select(isRow, row, b.constant(0)));
    llvm::append_range(places, b.loops(dim + rank, getType().getRank()));
    return b.select(isRow, b.extract(operands[0], places), missing);
  });
}

// No loop nest of linalg says that threads own rows and walk the indices once:
// code generators write kernels of kind "scatter" from the operation itself.
FailureOr<SmallVector<Value>> ScatterAddOp::lowerToLinalg(OpBuilder &,
                                                          ValueRange) {
  return emitOpError("has no loop nest in linalg; it becomes a kernel of its "
                     "own, of kind 'scatter'");
}
