#include "passes/normalize/IndexProgression.h"
#include "dialects/nn/NnOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <algorithm>

using namespace dsc;
using namespace mlir;

static std::optional<IndexProgression>
matchConstant(DenseIntElementsAttr elements) {
  IndexProgression result;
  result.count = elements.getNumElements();
  if (result.count == 0)
    return result;
  auto it = elements.begin();
  result.first = (*it).getSExtValue();
  result.step = 0;
  if (elements.isSplat() || result.count == 1)
    return result;
  int64_t last = (*++it).getSExtValue();
  std::optional<int64_t> step = llvm::checkedSub(last, result.first);
  if (!step)
    return std::nullopt;
  result.step = *step;
  for (++it; it != elements.end(); ++it) {
    int64_t next = (*it).getSExtValue();
    if (llvm::checkedSub(next, last) != step)
      return std::nullopt;
    last = next;
  }
  return result;
}

/// `value` before negative elements are counted from the end.
static std::optional<IndexProgression> matchValue(Value value) {
  DenseIntElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return matchConstant(elements);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto type = cast<RankedTensorType>(value.getType());
  if (auto iota = dyn_cast<nn::IotaOp>(op)) {
    // Counting along one dimension is counting in row-major order if all others
    // have size 1.
    int64_t count = type.getDimSize(iota.getDim());
    if (!type.getElementType().isInteger() || type.getNumElements() != count)
      return std::nullopt;
    return IndexProgression{0, count > 1 ? 1 : 0, count};
  }
  if (isa<nn::ReshapeOp>(op))
    return matchValue(op->getOperand(0));
  if (auto cast = dyn_cast<nn::CastOp>(op)) {
    if (!getElementTypeOrSelf(cast.getInput().getType()).isInteger())
      return std::nullopt;
    return matchValue(cast.getInput());
  }
  if (!isa<nn::AddOp, nn::MulOp>(op))
    return std::nullopt;
  std::optional<IndexProgression> lhs = matchValue(op->getOperand(0));
  std::optional<IndexProgression> rhs = matchValue(op->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (rhs->step != 0)
    std::swap(lhs, rhs);
  std::optional<int64_t> first, step;
  if (isa<nn::AddOp>(op)) {
    first = llvm::checkedAdd(lhs->first, rhs->first);
    step = llvm::checkedAdd(lhs->step, rhs->step);
  } else if (rhs->step == 0) {
    first = llvm::checkedMul(lhs->first, rhs->first);
    step = llvm::checkedMul(lhs->step, rhs->first);
  }
  if (!first || !step)
    return std::nullopt;
  return IndexProgression{*first, *step, lhs->count};
}

std::optional<IndexProgression> IndexProgression::match(Value indices,
                                                        int64_t extent) {
  std::optional<IndexProgression> result = matchValue(indices);
  if (!result)
    return std::nullopt;
  if (result->count <= 1)
    result->step = 1;
  int64_t last = result->first + (result->count - 1) * result->step;
  int64_t low = std::min(result->first, last);
  int64_t high = std::max(result->first, last);
  if (result->count == 0 || low >= 0)
    return result;
  // All from the end, or none; a mixture jumps somewhere.
  if (high < 0)
    result->first += extent;
  else if (low >= -extent && high < extent)
    return std::nullopt;
  return result;
}

bool IndexProgression::isWithin(int64_t extent) const {
  int64_t last = first + (count - 1) * step;
  return count == 0 ||
         (std::min(first, last) >= 0 && std::max(first, last) < extent);
}
