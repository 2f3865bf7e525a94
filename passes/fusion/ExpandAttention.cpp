#include "dialects/nn/NnOps.h"
#include "passes/fusion/Passes.h"

#include "llvm/ADT/STLExtras.h"
#include <limits>

namespace dsc {
#define GEN_PASS_DEF_EXPANDATTENTIONPASS
#include "passes/fusion/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {

/// Emits the products and rows of one attention, or of its gradient, block of
/// queries by block of queries. `OpTy` is either operation; both name their
/// operands alike.
template <typename OpTy> class Expansion {
public:
  Expansion(OpTy op, OpBuilder &builder, int64_t blockRows)
      : op(op), builder(builder), loc(op.getLoc()), blockRows(blockRows) {
    RankedTensorType query = typeOf(op.getQuery());
    rank = query.getRank();
    queries = query.getDimSize(rank - 2);
    keys = typeOf(op.getKey()).getDimSize(rank - 2);
  }

protected:
  /// Queries [begin, end) and the keys [0, keys) that one of them sees.
  struct Rows {
    int64_t begin, end, keys;
  };

  SmallVector<Rows> getBlocks() {
    SmallVector<Rows> blocks;
    for (int64_t begin = 0; begin < queries; begin += blockRows) {
      int64_t end = std::min(begin + blockRows, queries);
      // The last query of the block sees the most keys.
      int64_t seen = op.getCausal()
                         ? std::clamp<int64_t>(end + keys - queries, 0, keys)
                         : keys;
      blocks.push_back({begin, end, seen});
    }
    return blocks;
  }

  template <typename T, typename... Args> Value create(Args &&...args) {
    return builder.createOrFold<T>(loc, std::forward<Args>(args)...);
  }

  Value splat(RankedTensorType type, double number) {
    return nn::createSplat(builder, loc, type, number);
  }
  Value scaled(Value value, double factor) {
    return create<nn::MulOp>(value, splat(typeOf(value), factor));
  }
  Value matmul(Value lhs, Value rhs, bool transposeA, bool transposeB) {
    return nn::MatmulOp::create(builder, loc, lhs, rhs, transposeA, transposeB);
  }
  /// Elements [begin, end) along `dim`.
  Value slice(Value value, int64_t dim, int64_t begin, int64_t end) {
    RankedTensorType type = typeOf(value);
    SmallVector<int64_t> offsets(type.getRank(), 0), strides(offsets.size(), 1);
    SmallVector<int64_t> sizes(type.getShape());
    if (begin == 0 && end == sizes[dim])
      return value;
    offsets[dim] = begin;
    sizes[dim] = end - begin;
    return nn::SliceOp::create(builder, loc, value, offsets, sizes, strides);
  }
  Value queryRows(Value value, const Rows &rows) {
    return slice(value, rank - 2, rows.begin, rows.end);
  }
  Value seenKeys(Value value, const Rows &rows) {
    return slice(value, rank - 2, 0, rows.keys);
  }
  /// The rows of all blocks behind each other along `dim`.
  Value join(ArrayRef<Value> parts, int64_t dim) {
    if (parts.size() == 1)
      return parts.front();
    return nn::ConcatOp::create(builder, loc, parts, dim);
  }
  /// One number a query, repeated for all keys of `type`.
  Value perKey(Value numbers, RankedTensorType type) {
    return nn::BroadcastOp::create(
        builder, loc, type, numbers,
        llvm::to_vector(llvm::seq<int64_t>(0, rank - 1)));
  }

  /// The part of the bias that the scores of `rows` take, not yet repeated.
  Value biasOf(const Rows &rows) {
    Value bias = op.getBias();
    if (typeOf(bias).getDimSize(rank - 2) != 1)
      bias = queryRows(bias, rows);
    if (typeOf(bias).getDimSize(rank - 1) != 1)
      bias = slice(bias, rank - 1, 0, rows.keys);
    return bias;
  }

  /// Scores, -inf for hidden keys. All but the product is elementwise.
  Value buildScores(const Rows &rows) {
    Value scores = matmul(queryRows(op.getQuery(), rows),
                          seenKeys(op.getKey(), rows), false, true);
    RankedTensorType type = typeOf(scores);
    double scale = op.getScale().convertToDouble();
    if (scale != 1)
      scores = scaled(scores, scale);
    if (op.getBias()) {
      Value bias = biasOf(rows);
      if (typeOf(bias) != type)
        bias = nn::BroadcastOp::create(
            builder, loc, type, bias,
            llvm::to_vector(llvm::seq<int64_t>(0, rank)));
      scores = create<nn::AddOp>(scores, bias);
    }
    // Where the first query sees all that the last one sees, nothing is hidden.
    int64_t firstHidden = rows.begin + keys - queries + 1;
    if (!op.getCausal() || firstHidden >= rows.keys)
      return scores;
    RankedTensorType index = type.clone(builder.getI32Type());
    Value key = nn::IotaOp::create(builder, loc, index, rank - 1);
    Value query = nn::IotaOp::create(builder, loc, index, rank - 2);
    Value last = create<nn::AddOp>(query, splat(index, firstHidden - 1));
    Value visible =
        nn::CompareOp::create(builder, loc, type.clone(builder.getI1Type()),
                              nn::ComparePredicate::le, key, last);
    return nn::SelectOp::create(builder, loc, visible, scores,
                                splat(type, -infinity));
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();

  OpTy op;
  OpBuilder &builder;
  Location loc;
  int64_t blockRows;
  int64_t rank, queries, keys;
};

class ForwardExpansion : public Expansion<nn::AttentionOp> {
public:
  using Expansion::Expansion;

  /// The two results of the operation.
  SmallVector<Value> build() {
    SmallVector<Value> results, lses;
    for (const Rows &rows : getBlocks()) {
      if (rows.keys == 0) {
        results.push_back(emptyRows(op.getResult(), rows, 0));
        lses.push_back(emptyRows(op.getLse(), rows, -infinity));
        continue;
      }
      auto softmax = nn::SoftmaxLseOp::create(builder, loc, buildScores(rows));
      results.push_back(matmul(softmax.getResult(),
                               seenKeys(op.getValue(), rows), false, false));
      lses.push_back(softmax.getLse());
    }
    if (results.empty())
      return {splat(typeOf(op.getResult()), 0), splat(typeOf(op.getLse()), 0)};
    return {join(results, rank - 2), join(lses, rank - 2)};
  }

private:
  /// What queries that see no key have of `result`.
  Value emptyRows(Value result, const Rows &rows, double number) {
    SmallVector<int64_t> shape(typeOf(result).getShape());
    shape[rank - 2] = rows.end - rows.begin;
    return splat(typeOf(result).clone(shape), number);
  }
};

class BackwardExpansion : public Expansion<nn::AttentionGradOp> {
public:
  using Expansion::Expansion;

  /// The gradients of query, key, value and, if it is asked for, bias.
  SmallVector<Value> build() {
    prepareRows();
    SmallVector<Value> dQuery;
    // The last block sees the most keys: the sums start with all of them.
    SmallVector<Rows> blocks = getBlocks();
    for (const Rows &rows : llvm::reverse(blocks)) {
      if (rows.keys == 0) {
        dQuery.push_back(splat(typeOf(queryRows(op.getQuery(), rows)), 0));
        if (op.getBiasGradient())
          addToBias({}, rows);
        continue;
      }
      dQuery.push_back(buildBlock(rows));
    }
    std::reverse(dQuery.begin(), dQuery.end());
    std::reverse(biasRows.begin(), biasRows.end());
    SmallVector<Value> results = {
        dQuery.empty() ? splat(typeOf(op.getQuery()), 0)
                       : join(dQuery, rank - 2),
        orZero(dKey, op.getKey()), orZero(dValue, op.getValue())};
    if (op.getBiasGradient())
      results.push_back(biasRows.empty() ? orZero(biasSum, op.getBias())
                                         : join(biasRows, rank - 2));
    return results;
  }

private:
  Value orZero(Value value, Value like) {
    return value ? value : splat(typeOf(like), 0);
  }

  /// What is one number a query: the logarithm that scores are taken off, 0
  /// where there is no key (so that exp(-inf - 0) is 0), and the part of the
  /// scores' gradient that all keys share.
  void prepareRows() {
    RankedTensorType type = typeOf(op.getLse());
    Value isEmpty = nn::CompareOp::create(
        builder, loc, type.clone(builder.getI1Type()), nn::ComparePredicate::eq,
        op.getLse(), splat(type, -infinity));
    lse = nn::SelectOp::create(builder, loc, isEmpty, splat(type, 0),
                               op.getLse());
    Value products =
        nn::MulOp::create(builder, loc, op.getGradient(), op.getOutput());
    shared = nn::ReduceSumOp::create(builder, loc, type, products,
                                     ArrayRef<int64_t>{rank - 1},
                                     /*keep_dims=*/false);
  }

  /// The gradient of the block's queries; adds to those of the others.
  Value buildBlock(const Rows &rows) {
    Value scores = buildScores(rows);
    RankedTensorType type = typeOf(scores);
    Value weights = nn::ExpOp::create(
        builder, loc,
        nn::SubOp::create(builder, loc, scores,
                          perKey(queryRows(lse, rows), type)));
    Value gradient = queryRows(op.getGradient(), rows);
    addTo(dValue, matmul(weights, gradient, true, false), op.getValue());
    Value dWeights =
        matmul(gradient, seenKeys(op.getValue(), rows), false, true);
    Value difference = nn::SubOp::create(builder, loc, dWeights,
                                         perKey(queryRows(shared, rows), type));
    Value dScores = nn::MulOp::create(builder, loc, weights, difference);
    if (op.getBiasGradient())
      addToBias(dScores, rows);
    double scale = op.getScale().convertToDouble();
    if (scale != 1)
      dScores = scaled(dScores, scale);
    addTo(dKey, matmul(dScores, queryRows(op.getQuery(), rows), true, false),
          op.getKey());
    return matmul(dScores, seenKeys(op.getKey(), rows), false, false);
  }

  /// Adds `part`, the gradient of the first keys, to `sum`, that of all.
  void addTo(Value &sum, Value part, Value like) {
    part = padTo(part, rank - 2, typeOf(like).getDimSize(rank - 2));
    sum = sum ? create<nn::AddOp>(sum, part) : part;
  }

  /// `value` with zeros behind it, so that `dim` has `size` elements.
  Value padTo(Value value, int64_t dim, int64_t size) {
    SmallVector<int64_t> none(rank, 0), high(rank, 0);
    high[dim] = size - typeOf(value).getDimSize(dim);
    if (high[dim] == 0)
      return value;
    return nn::PadOp::create(builder, loc, value, none, high, none);
  }

  /// Takes the scores' gradient, null for queries without keys, to the bias.
  void addToBias(Value dScores, const Rows &rows) {
    RankedTensorType bias = typeOf(op.getBias());
    bool hasRows = bias.getDimSize(rank - 2) != 1;
    SmallVector<int64_t> shape(bias.getShape());
    if (hasRows)
      shape[rank - 2] = rows.end - rows.begin;
    Value part;
    if (dScores) {
      SmallVector<int64_t> repeated;
      for (auto [dim, size] : llvm::enumerate(bias.getShape()))
        if (size == 1 && typeOf(dScores).getDimSize(dim) != 1)
          repeated.push_back(dim);
      part = dScores;
      if (!repeated.empty())
        part = nn::ReduceSumOp::create(builder, loc, part, repeated,
                                       /*keep_dims=*/true);
      part = padTo(part, rank - 1, shape.back());
    } else if (hasRows) {
      part = splat(bias.clone(shape), 0);
    }
    if (hasRows)
      biasRows.push_back(part);
    else if (part)
      biasSum = biasSum ? create<nn::AddOp>(biasSum, part) : part;
  }

  Value lse, shared;
  Value dKey, dValue, biasSum;
  /// From the last block to the first.
  SmallVector<Value> biasRows;
};

struct ExpandAttentionPass
    : dsc::impl::ExpandAttentionPassBase<ExpandAttentionPass> {
  using ExpandAttentionPassBase::ExpandAttentionPassBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto attention = dyn_cast<nn::AttentionOp>(op))
        expand<ForwardExpansion>(attention);
      else if (auto gradient = dyn_cast<nn::AttentionGradOp>(op))
        expand<BackwardExpansion>(gradient);
    });
  }

  template <typename ExpansionTy, typename OpTy> void expand(OpTy op) {
    RankedTensorType query = typeOf(op.getQuery());
    int64_t queries = query.getDimSize(query.getRank() - 2);
    OpBuilder builder(op);
    ExpansionTy expansion(op, builder,
                          queries > wholeRows ? blockRows : wholeRows);
    op->replaceAllUsesWith(expansion.build());
    op->erase();
  }
};

} // namespace
