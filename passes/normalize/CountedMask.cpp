#include "passes/normalize/CountedMask.h"
#include "mlir/IR/Matchers.h"
#include "passes/normalize/Matchers.h"

using namespace dsc;
using namespace mlir;

namespace {

/// Integers that are linear in the index of each dimension.
struct LinearIndex {
  SmallVector<int64_t> steps;
  int64_t constant = 0;

  explicit LinearIndex(int64_t rank) : steps(rank, 0) {}

  /// Only numbers that sums and products of a few cannot overflow.
  static std::optional<LinearIndex> match(Value value, unsigned depth = 0) {
    std::optional<LinearIndex> result = matchAny(value, depth);
    return result && result->isSmall() ? result : std::nullopt;
  }

private:
  bool isSmall() const {
    return std::abs(constant) < (int64_t(1) << 40) &&
           llvm::all_of(
               steps, [](int64_t step) { return std::abs(step) < 256; });
  }
  static std::optional<LinearIndex> matchAny(Value value, unsigned depth);
  static std::optional<LinearIndex> matchConstant(DenseIntElementsAttr value);
  static std::optional<LinearIndex> matchMoved(Operation *op,
                                               const LinearIndex &input);
  static std::optional<LinearIndex> matchArithmetic(Operation *op,
                                                    unsigned depth);
};

} // namespace

/// Evenly spaced numbers along one dimension.
std::optional<LinearIndex>
LinearIndex::matchConstant(DenseIntElementsAttr value) {
  ArrayRef<int64_t> shape = value.getType().getShape();
  LinearIndex result(shape.size());
  if (value.getNumElements() == 0)
    return std::nullopt;
  result.constant = (*value.begin()).getSExtValue();
  if (value.isSplat())
    return result;
  auto isLong = [](int64_t size) { return size != 1; };
  if (llvm::count_if(shape, isLong) != 1)
    return std::nullopt;
  // Differences of any two int64 may overflow; as APInt they wrap around.
  APInt expected = *value.begin(), step = *std::next(value.begin()) - expected;
  for (const APInt &number : value) {
    if (number != expected)
      return std::nullopt;
    expected += step;
  }
  result.steps[llvm::find_if(shape, isLong) - shape.begin()] =
      step.getSExtValue();
  return result;
}

std::optional<LinearIndex> LinearIndex::matchMoved(Operation *op,
                                                   const LinearIndex &input) {
  LinearIndex result(typeOf(op->getResult(0)).getRank());
  result.constant = input.constant;
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0));
  if (auto broadcast = dyn_cast<nn::BroadcastOp>(op)) {
    for (auto [k, dim] : llvm::enumerate(broadcast.getDims()))
      result.steps[dim] = from[k] == 1 ? 0 : input.steps[k];
    return result;
  }
  if (auto transpose = dyn_cast<nn::TransposeOp>(op)) {
    for (auto [k, dim] : llvm::enumerate(transpose.getPerm()))
      result.steps[k] = input.steps[dim];
    return result;
  }
  if (auto slice = dyn_cast<nn::SliceOp>(op)) {
    for (auto [k, step] : llvm::enumerate(input.steps)) {
      result.steps[k] = step * slice.getStrides()[k];
      result.constant += step * slice.getOffsets()[k];
    }
    return result;
  }
  // A reshape, of sizes of 1 alone.
  if (skipUnitReshapes(op->getResult(0)) == op->getResult(0))
    return std::nullopt;
  unsigned next = 0;
  for (auto [k, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    if (size == 1)
      continue;
    while (from[next] == 1)
      ++next;
    result.steps[k] = input.steps[next++];
  }
  return result;
}

std::optional<LinearIndex> LinearIndex::matchArithmetic(Operation *op,
                                                        unsigned depth) {
  std::optional<LinearIndex> lhs = match(op->getOperand(0), depth + 1);
  std::optional<LinearIndex> rhs =
      lhs ? match(op->getOperand(1), depth + 1) : std::nullopt;
  if (!rhs)
    return std::nullopt;
  int64_t sign = isa<nn::SubOp>(op) ? -1 : 1;
  lhs->constant += sign * rhs->constant;
  for (auto [step, other] : llvm::zip_equal(lhs->steps, rhs->steps))
    step += sign * other;
  return lhs;
}

std::optional<LinearIndex> LinearIndex::matchAny(Value value, unsigned depth) {
  constexpr unsigned maxDepth = 16;
  DenseIntElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return matchConstant(constant);
  Operation *op = value.getDefiningOp();
  if (!op || depth == maxDepth || !typeOf(value).getElementType().isInteger())
    return std::nullopt;
  if (auto iota = dyn_cast<nn::IotaOp>(op)) {
    LinearIndex result(typeOf(value).getRank());
    result.steps[iota.getDim()] = 1;
    return result;
  }
  if (isa<nn::AddOp, nn::SubOp>(op))
    return matchArithmetic(op, depth);
  if (isa<nn::CastOp>(op))
    return match(op->getOperand(0), depth + 1);
  if (!isa<nn::BroadcastOp, nn::ReshapeOp, nn::TransposeOp, nn::SliceOp>(op))
    return std::nullopt;
  std::optional<LinearIndex> input = match(op->getOperand(0), depth + 1);
  return input ? matchMoved(op, *input) : std::nullopt;
}

std::optional<CountedMask> CountedMask::match(Value condition) {
  auto compare = definedBy<nn::CompareOp>(skipBatchBroadcast(condition));
  if (!compare || compare.getType().getRank() < 2)
    return std::nullopt;
  std::optional<LinearIndex> lhs = LinearIndex::match(compare.getLhs());
  std::optional<LinearIndex> rhs =
      lhs ? LinearIndex::match(compare.getRhs()) : std::nullopt;
  if (!rhs)
    return std::nullopt;
  // column * j + row * i + constant, compared with 0
  int64_t constant = lhs->constant - rhs->constant;
  for (auto [step, other] : llvm::zip_equal(lhs->steps, rhs->steps))
    step -= other;
  int64_t column = lhs->steps.pop_back_val(), row = lhs->steps.pop_back_val();
  if (llvm::any_of(lhs->steps, [](int64_t step) { return step != 0; }) ||
      std::abs(column) != 1 || row != -column)
    return std::nullopt;
  bool isLess, isStrict;
  switch (compare.getPredicate()) {
  case nn::ComparePredicate::lt:
  case nn::ComparePredicate::le:
    isLess = true;
    isStrict = compare.getPredicate() == nn::ComparePredicate::lt;
    break;
  case nn::ComparePredicate::gt:
  case nn::ComparePredicate::ge:
    isLess = false;
    isStrict = compare.getPredicate() == nn::ComparePredicate::gt;
    break;
  default:
    return std::nullopt;
  }
  // With d = j - i: d + constant < 0, or constant - d < 0, and so on.
  if (column == 1)
    return isLess ? CountedMask{-constant - isStrict, false}
                  : CountedMask{-constant - !isStrict, true};
  return isLess ? CountedMask{constant - !isStrict, true}
                : CountedMask{constant - isStrict, false};
}
