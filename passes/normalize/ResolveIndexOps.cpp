#include "dialects/nn/NnOps.h"
#include "mlir/IR/Matchers.h"
#include "passes/normalize/IndexProgression.h"
#include "passes/normalize/Patterns.h"

using namespace dsc;
using namespace mlir;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Slices by constant positions. Elements taken backwards are gathered.
struct ResolveDynamicSlice : OpRewritePattern<nn::DynamicSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::DynamicSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto ranges = op.getRanges();
    if (failed(ranges) || !*ranges)
      return failure();
    SmallVector<int64_t> offsets, sizes, strides;
    SmallVector<int64_t> backwards;
    for (auto [dim, range] : llvm::enumerate(**ranges)) {
      bool forwards = range.step > 0;
      if (!forwards)
        backwards.push_back(dim);
      // First the whole dimension, then its elements in the other order.
      offsets.push_back(forwards ? range.start : 0);
      sizes.push_back(forwards ? range.size
                               : op.getInput().getType().getDimSize(dim));
      strides.push_back(forwards ? range.step : 1);
    }
    Value value = rewriter.createOrFold<nn::SliceOp>(
        op.getLoc(), op.getType().clone(sizes), op.getInput(), offsets, sizes,
        strides);
    for (int64_t dim : backwards) {
      const nn::SliceRange &range = (**ranges)[dim];
      SmallVector<int64_t> indices;
      for (int64_t i = 0; i != range.size; ++i)
        indices.push_back(range.start + i * range.step);
      auto type = RankedTensorType::get({range.size}, rewriter.getI64Type());
      Value positions = nn::ConstantOp::create(
          rewriter, op.getLoc(),
          DenseElementsAttr::get(type, ArrayRef<int64_t>(indices)));
      value = nn::GatherOp::create(rewriter, op.getLoc(), value, positions,
                                   static_cast<uint64_t>(dim));
    }
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct ResolveSplit : OpRewritePattern<nn::SplitOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::SplitOp op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = op.getInput().getType().getRank();
    SmallVector<int64_t> offsets(rank, 0), strides(rank, 1);
    SmallVector<Value> parts;
    for (Value result : op.getResults()) {
      RankedTensorType type = typeOf(result);
      parts.push_back(rewriter.createOrFold<nn::SliceOp>(
          op.getLoc(), type, op.getInput(), offsets, type.getShape(), strides));
      offsets[op.getDim()] += type.getDimSize(op.getDim());
    }
    rewriter.replaceOp(op, parts);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

/// Takes elements whose places are evenly spaced as a slice, which costs
/// nothing. Of places that are constant, canonicalisation does the same.
struct ResolveGather : OpRewritePattern<nn::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::GatherOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType data = typeOf(op.getData());
    int64_t dim = op.getDim(), extent = data.getDimSize(dim);
    std::optional<IndexProgression> indices =
        IndexProgression::match(op.getIndices(), extent);
    if (!indices || indices->step <= 0 || !indices->isWithin(extent))
      return failure();
    SmallVector<int64_t> offsets(data.getRank(), 0), strides(offsets.size(), 1);
    SmallVector<int64_t> sizes(data.getShape());
    offsets[dim] = indices->count == 0 ? 0 : indices->first;
    sizes[dim] = indices->count;
    strides[dim] = indices->step;
    Value slice = rewriter.createOrFold<nn::SliceOp>(
        op.getLoc(), data.clone(sizes), op.getData(), offsets, sizes, strides);
    rewriter.replaceOp(op, reshapeTo(rewriter, op.getLoc(), slice,
                                     typeOf(op.getResult()).getShape()));
    return success();
  }
};

/// Several indices, behind the place in the batch, are one index into the
/// merged dimensions that they name. One out of its own range leaves the table.
struct ResolveGatherNd : OpRewritePattern<nn::GatherNdOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::GatherNdOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType data = typeOf(op.getData());
    RankedTensorType type = typeOf(op.getIndices());
    int64_t batch = op.getBatchDims(), named = batch + type.getShape().back();
    auto places = RankedTensorType::get(type.getShape().drop_back(),
                                        rewriter.getI64Type());
    int64_t rows = llvm::product_of(data.getShape().take_front(named));
    auto number = [&](int64_t value) {
      return nn::createSplat(rewriter, loc, places, value);
    };
    Value row, isInside;
    for (int64_t dim = 0; dim != named; ++dim) {
      int64_t extent = data.getDimSize(dim);
      Value index;
      if (dim < batch) {
        index = nn::IotaOp::create(rewriter, loc, places, dim);
      } else {
        index = getIndex(rewriter, op, places, dim - batch);
        // Negative ones count from the end.
        Value isNegative =
            compare(rewriter, loc, nn::ComparePredicate::lt, index, number(0));
        Value fromEnd = nn::AddOp::create(rewriter, loc, index, number(extent));
        index = nn::SelectOp::create(rewriter, loc, isNegative, fromEnd, index);
        for (Value fits : {compare(rewriter, loc, nn::ComparePredicate::ge,
                                   index, number(0)),
                           compare(rewriter, loc, nn::ComparePredicate::lt,
                                   index, number(extent))})
          isInside = isInside ? nn::AndOp::create(rewriter, loc, isInside, fits)
                              : fits;
      }
      if (row)
        index = nn::AddOp::create(
            rewriter, loc,
            nn::MulOp::create(rewriter, loc, row, number(extent)), index);
      row = index;
    }
    if (!row)
      row = number(0);
    if (isInside)
      row = nn::SelectOp::create(rewriter, loc, isInside, row, number(rows));
    SmallVector<int64_t> shape = {rows};
    llvm::append_range(shape, data.getShape().drop_front(named));
    rewriter.replaceOpWithNewOp<nn::GatherOp>(
        op, reshapeTo(rewriter, loc, op.getData(), shape), row, uint64_t(0));
    return success();
  }

private:
  static Value compare(OpBuilder &builder, Location loc,
                       nn::ComparePredicate predicate, Value x, Value y) {
    return nn::CompareOp::create(builder, loc, predicate, x, y);
  }

  /// Element `k` of each vector of indices, as i64: rows of merged dimensions
  /// may be more than an i32 counts.
  static Value getIndex(OpBuilder &builder, nn::GatherNdOp op,
                        RankedTensorType places, int64_t k) {
    RankedTensorType type = typeOf(op.getIndices());
    SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
    SmallVector<int64_t> sizes(type.getShape());
    offsets.back() = k;
    sizes.back() = 1;
    Value index = builder.createOrFold<nn::SliceOp>(
        op.getLoc(), type.clone(sizes), op.getIndices(), offsets, sizes,
        strides);
    index = reshapeTo(builder, op.getLoc(), index, places.getShape());
    return builder.createOrFold<nn::CastOp>(op.getLoc(), places, index);
  }
};

//===----------------------------------------------------------------------===//
// Repetition and numbers
//===----------------------------------------------------------------------===//

struct ResolveDynamicExpand : OpRewritePattern<nn::DynamicExpandOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::DynamicExpandOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, broadcastTo(rewriter, op.getLoc(), op.getInput(),
                                       op.getType().getShape()));
    return success();
  }
};

/// [a, b] becomes [r, a, s, b] by repetition, then [r * a, s * b].
struct ResolveTile : OpRewritePattern<nn::TileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::TileOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = op.getInput().getType(), result = op.getType();
    if (result.getNumElements() == 0) {
      rewriter.replaceOp(op, nn::createSplat(rewriter, op.getLoc(), result, 0));
      return success();
    }
    SmallVector<int64_t> shape, dims;
    for (auto [from, to] : llvm::zip(input.getShape(), result.getShape())) {
      shape.push_back(to / from);
      dims.push_back(shape.size());
      shape.push_back(from);
    }
    Value repeated = nn::BroadcastOp::create(
        rewriter, op.getLoc(), input.clone(shape), op.getInput(), dims);
    rewriter.replaceOp(
        op, reshapeTo(rewriter, op.getLoc(), repeated, result.getShape()));
    return success();
  }
};

struct ResolveConstantOfShape : OpRewritePattern<nn::ConstantOfShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ConstantOfShapeOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<nn::ConstantOp>(
        op, DenseElementsAttr::get(op.getType(), op.getValue()));
    return success();
  }
};

/// A range too long to be a constant is counted where it is used.
struct ResolveRange : OpRewritePattern<nn::RangeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::RangeOp op,
                                PatternRewriter &rewriter) const override {
    DenseElementsAttr start, delta;
    if (!matchPattern(op.getStart(), m_Constant(&start)) ||
        !matchPattern(op.getDelta(), m_Constant(&delta)))
      return failure();
    auto type = cast<RankedTensorType>(op.getType());
    auto splat = [&](DenseElementsAttr value) {
      return nn::ConstantOp::create(rewriter, op.getLoc(),
                                    value.resizeSplat(type));
    };
    Value range = nn::IotaOp::create(rewriter, op.getLoc(), type, uint64_t(0));
    range = rewriter.createOrFold<nn::MulOp>(op.getLoc(), range, splat(delta));
    range = rewriter.createOrFold<nn::AddOp>(op.getLoc(), range, splat(start));
    rewriter.replaceOp(op, range);
    return success();
  }
};

/// Row and column numbers are compared, so that no mask is stored.
struct ResolveTrilu : OpRewritePattern<nn::TriluOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::TriluOp op,
                                PatternRewriter &rewriter) const override {
    DenseIntElementsAttr k;
    if (op.getK() && !matchPattern(op.getK(), m_Constant(&k)))
      return failure();
    int64_t diagonal = op.getK() ? (*k.begin()).getSExtValue() : 0;
    Location loc = op.getLoc();
    RankedTensorType type = op.getType();
    auto numbers = RankedTensorType::get(type.getShape().take_back(2),
                                         rewriter.getI64Type());
    Value row = nn::IotaOp::create(rewriter, loc, numbers, uint64_t(0));
    Value column = nn::IotaOp::create(rewriter, loc, numbers, uint64_t(1));
    if (diagonal != 0) {
      Value shift = nn::ConstantOp::create(
          rewriter, loc,
          DenseElementsAttr::get(numbers,
                                 rewriter.getI64IntegerAttr(diagonal)));
      row = nn::AddOp::create(rewriter, loc, row, shift);
    }
    Value kept = nn::CompareOp::create(
        rewriter, loc, numbers.clone(rewriter.getI1Type()),
        op.getUpper() ? nn::ComparePredicate::ge : nn::ComparePredicate::le,
        column, row);
    rewriter.replaceOpWithNewOp<nn::SelectOp>(
        op, broadcastTo(rewriter, loc, kept, type.getShape()), op.getInput(),
        nn::createSplat(rewriter, loc, type, 0));
    return success();
  }
};

/// In a tensor without zeros every element has its place: row k of the result
/// counts along dimension k.
struct ResolveNonZero : OpRewritePattern<nn::NonZeroOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::NonZeroOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = op.getInput().getType();
    DenseElementsAttr value;
    if (!matchPattern(op.getInput(), m_Constant(&value)) || !value.isSplat() ||
        input.getRank() == 0 ||
        op.getType().getDimSize(1) != input.getNumElements())
      return failure();
    SmallVector<Value> rows;
    for (int64_t dim : llvm::seq(input.getRank())) {
      Value count = nn::IotaOp::create(rewriter, op.getLoc(),
                                       input.clone(rewriter.getI64Type()), dim);
      rows.push_back(
          reshapeTo(rewriter, op.getLoc(), count, {1, input.getNumElements()}));
    }
    if (rows.size() == 1)
      rewriter.replaceOp(op, rows.front());
    else
      rewriter.replaceOpWithNewOp<nn::ConcatOp>(op, op.getType(), rows,
                                                uint64_t(0));
    return success();
  }
};

} // namespace

void dsc::populateResolveIndexOpsPatterns(RewritePatternSet &patterns) {
  patterns
      .add<ResolveDynamicSlice, ResolveSplit, ResolveGather, ResolveGatherNd,
           ResolveDynamicExpand, ResolveTile, ResolveConstantOfShape,
           ResolveRange, ResolveTrilu, ResolveNonZero>(patterns.getContext());
}
