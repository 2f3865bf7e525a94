#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/normalize/AttentionScores.h"
#include "passes/normalize/Passes.h"
#include "passes/normalize/Patterns.h"

#define DEBUG_TYPE "normalize-raise-attention"

namespace dsc {
#define GEN_PASS_DEF_RAISEATTENTIONPASS
#include "passes/normalize/Passes.h.inc"
} // namespace dsc

using namespace dsc;
using namespace mlir;

namespace {

/// softmax(scores) * value, where the scores are a product of queries and keys.
class AttentionMatcher {
public:
  AttentionMatcher(nn::MatmulOp root, KnownValues &known, AttentionMasks &masks)
      : root(root), known(known), scores(known, masks) {}

  bool match();
  /// Why something that comes close does not match; else "".
  StringRef getReason() const { return reason; }
  void replace(OpBuilder &builder);

private:
  bool matchProbabilities();
  double getScale() const {
    return scores.getScale() * query.factor * key.factor;
  }
  bool fail(StringRef why) {
    reason = why;
    return false;
  }

  nn::MatmulOp root;
  KnownValues &known;
  nn::SoftmaxOp softmax;
  AttentionScores scores;
  Scaled query, key;
  StringRef reason;
};

} // namespace

/// The operand of a reshape that changes nothing but batch dimensions.
static Value skipRegrouping(Value value) {
  auto reshape = definedBy<nn::ReshapeOp>(value);
  return reshape && typeOf(reshape.getInput()).getRank() >= 2 &&
                 typeOf(value).getRank() >= 2 &&
                 shapeOf(reshape.getInput()).take_back(2) ==
                     shapeOf(value).take_back(2)
             ? reshape.getInput()
             : value;
}

/// x where `value` is x with 0 in place of NaN: PyTorch writes it for rows
/// without a visible key, for which attention gives 0 anyway.
static Value skipNanGuard(Value value, KnownValues &known) {
  auto select = definedBy<nn::SelectOp>(value);
  auto compare = select ? definedBy<nn::CompareOp>(select.getCondition())
                        : nn::CompareOp();
  if (!compare || compare.getLhs() != compare.getRhs())
    return value;
  Value x = compare.getLhs(), kept, replaced;
  if (compare.getPredicate() == nn::ComparePredicate::ne) {
    kept = select.getOnFalse();
    replaced = select.getOnTrue();
  } else if (compare.getPredicate() == nn::ComparePredicate::eq) {
    kept = select.getOnTrue();
    replaced = select.getOnFalse();
  }
  return kept == x && known.isSplat(replaced, 0) ? x : value;
}

/// Whether `value` goes nowhere but into the operations between it and `root`.
static bool isPrivate(Value value, Operation *root) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (user == root)
      return true;
    return isa<nn::SelectOp, nn::CompareOp, nn::ReshapeOp>(user) &&
           isPrivate(user->getResult(0), root);
  });
}

bool AttentionMatcher::matchProbabilities() {
  if (root.getTransposeA())
    return false;
  Value value = skipRegrouping(root.getLhs());
  auto dropout = definedBy<nn::DropoutOp>(value);
  if (dropout)
    value = dropout.getInput();
  value = skipNanGuard(skipRegrouping(value), known);
  softmax = definedBy<nn::SoftmaxOp>(skipRegrouping(value));
  if (!softmax || int64_t(softmax.getDim()) != softmax.getType().getRank() - 1)
    return false;
  if (!scores.match(softmax.getInput()))
    return fail(scores.getReason());
  if (dropout)
    return fail("dropout acts on the probabilities");
  if (!isPrivate(softmax.getResult(), root))
    return fail("the probabilities are used elsewhere too");
  return true;
}

bool AttentionMatcher::match() {
  if (!matchProbabilities())
    return false;
  // A value that is shared by a batch is broadcast; probabilities are not.
  ArrayRef<int64_t> batch = root.getType().getShape().drop_back(2);
  if (shapeOf(root.getLhs()).drop_back(2) != batch)
    return fail("one set of probabilities is applied to several values");
  query = stripScale(scores.getProduct().getLhs(), known);
  key = stripScale(scores.getProduct().getRhs(), known);
  return std::isfinite(getScale()) || fail("the scale is not finite");
}

void AttentionMatcher::replace(OpBuilder &builder) {
  builder.setInsertionPoint(root);
  remarkRaised(root, nn::AttentionOp::getOperationName());
  Location loc = root.getLoc();
  ArrayRef<int64_t> batch = softmax.getType().getShape().drop_back(2);
  // `matrix` with the batch dimensions of `product`, then those of softmax.
  auto withBatch = [&](Value matrix, nn::MatmulOp product) {
    SmallVector<int64_t> shape(product.getType().getShape().drop_back(2));
    llvm::append_range(shape, shapeOf(matrix).take_back(2));
    matrix = broadcastTo(builder, loc, matrix, shape);
    shape.assign(batch.begin(), batch.end());
    llvm::append_range(shape, shapeOf(matrix).take_back(2));
    return reshapeTo(builder, loc, matrix, shape);
  };

  nn::MatmulOp product = scores.getProduct();
  if (product.getTransposeA())
    query.base = exchangeLastTwo(builder, query.base);
  if (!product.getTransposeB())
    key.base = exchangeLastTwo(builder, key.base);
  Value value = root.getRhs();
  if (root.getTransposeB())
    value = exchangeLastTwo(builder, value);

  auto attention = nn::AttentionOp::create(
      builder, loc, withBatch(query.base, product),
      withBatch(key.base, product), withBatch(value, root),
      scores.buildBias(builder, loc), builder.getF64FloatAttr(getScale()),
      scores.isCausal() ? builder.getUnitAttr() : UnitAttr());
  root.getResult().replaceAllUsesWith(reshapeTo(
      builder, loc, attention.getResult(), root.getType().getShape()));
}

namespace {
struct RaiseAttentionPass
    : dsc::impl::RaiseAttentionPassBase<RaiseAttentionPass> {
  using RaiseAttentionPassBase::RaiseAttentionPassBase;

  void runOnOperation() override {
    KnownValues known(getOperation());
    OpBuilder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (Block &block : function.getBody()) {
        AttentionMasks masks(known);
        for (auto root :
             llvm::make_early_inc_range(block.getOps<nn::MatmulOp>())) {
          AttentionMatcher matcher(root, known, masks);
          if (matcher.match())
            matcher.replace(builder);
          else if (!matcher.getReason().empty())
            remarkNotRaised(root, nn::AttentionOp::getOperationName(),
                            matcher.getReason());
        }
        eraseUnused(block);
      }
    }
  }
};
} // namespace
