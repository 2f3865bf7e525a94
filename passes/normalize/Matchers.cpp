#include "passes/normalize/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/normalize/Patterns.h"

using namespace dsc;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

std::array<std::pair<Value, Value>, 2> dsc::bothOrders(Operation *op) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  return {std::pair(lhs, rhs), std::pair(rhs, lhs)};
}

Scaled dsc::stripScale(Value value, KnownValues &known) {
  Scaled scaled{value};
  while (Operation *op = scaled.base.getDefiningOp()) {
    std::optional<double> number;
    if (isa<nn::NegOp>(op)) {
      scaled.factor = -scaled.factor;
      scaled.base = op->getOperand(0);
      continue;
    }
    if (isa<nn::MulOp>(op)) {
      Value base;
      for (auto [factor, other] : bothOrders(op))
        if (!number && (number = known.getSplat(factor)))
          base = other;
      if (!number)
        return scaled;
      scaled.factor *= *number;
      scaled.base = base;
      continue;
    }
    if (!isa<nn::DivOp>(op) || !(number = known.getSplat(op->getOperand(1))) ||
        *number == 0)
      return scaled;
    scaled.factor /= *number;
    scaled.base = op->getOperand(0);
  }
  return scaled;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> withoutUnits(ArrayRef<int64_t> shape) {
  return llvm::to_vector(
      llvm::make_filter_range(shape, [](int64_t size) { return size != 1; }));
}

Value dsc::skipUnitReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<nn::ReshapeOp, nn::BroadcastOp>(op) ||
        withoutUnits(shapeOf(op->getOperand(0))) !=
            withoutUnits(shapeOf(value)))
      break;
    value = op->getOperand(0);
  }
  return value;
}

Value dsc::skipBatchBroadcast(Value value) {
  while (auto broadcast = definedBy<nn::BroadcastOp>(value)) {
    Value input = broadcast.getInput();
    int64_t rank = typeOf(value).getRank();
    if (typeOf(input).getRank() < 2 ||
        shapeOf(input).take_back(2) != shapeOf(value).take_back(2) ||
        broadcast.getDims().take_back(2) !=
            ArrayRef<int64_t>({rank - 2, rank - 1}))
      break;
    value = input;
  }
  return value;
}

Value dsc::skipRowBroadcast(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  if (shape.empty())
    return {};
  auto broadcast = definedBy<nn::BroadcastOp>(value);
  if (!broadcast)
    return shape.back() == 1 ? value : Value();
  // What has more than one element in the operand stands in place in front of
  // the last dimension, and nothing else in front of it is repeated.
  SmallVector<bool> present(shape.size(), false);
  ArrayRef<int64_t> input = shapeOf(broadcast.getInput());
  for (auto [dim, size] : llvm::zip_equal(broadcast.getDims(), input))
    present[dim] = size != 1;
  if (present.back())
    return {};
  for (auto [size, isPresent] : llvm::drop_end(llvm::zip(shape, present)))
    if (size != 1 && !isPresent)
      return {};
  return broadcast.getInput();
}

Value dsc::matchRowMean(Value rows, KnownValues &known) {
  if (Value input = matchRowReduction<nn::ReduceMeanOp>(rows))
    return input;
  Scaled scaled = stripScale(skipUnitReshapes(rows), known);
  Value input = matchRowReduction<nn::ReduceSumOp>(scaled.base);
  if (!input)
    return {};
  double mean = 1.0 / static_cast<double>(shapeOf(input).back());
  return std::abs(scaled.factor - mean) <= 1e-6 * mean ? input : Value();
}

bool dsc::isRowVector(Value value) {
  if (typeOf(value).getRank() == 1)
    return true;
  auto broadcast = definedBy<nn::BroadcastOp>(value);
  if (!broadcast) {
    auto constant = definedBy<nn::ConstantOp>(value);
    auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                             : DenseElementsAttr();
    return elements && elements.isSplat();
  }
  int64_t last = typeOf(value).getRank() - 1;
  for (auto [dim, size] :
       llvm::zip_equal(broadcast.getDims(), shapeOf(broadcast.getInput())))
    if (dim != last && size != 1)
      return false;
  return true;
}

Value dsc::getRowVector(OpBuilder &builder, Value value) {
  RankedTensorType type = typeOf(value);
  if (type.getRank() == 1)
    return value;
  int64_t size = type.getShape().back();
  if (auto constant = definedBy<nn::ConstantOp>(value))
    return nn::ConstantOp::create(builder, value.getLoc(),
                                  cast<DenseElementsAttr>(constant.getValue())
                                      .resizeSplat(type.clone({size})));
  Value input = definedBy<nn::BroadcastOp>(value).getInput();
  int64_t count = typeOf(input).getNumElements();
  Value vector = reshapeTo(builder, value.getLoc(), input, {count});
  return broadcastTo(builder, value.getLoc(), vector, {size});
}

Value dsc::removeBroadcast(OpBuilder &builder, Value value) {
  RankedTensorType type = typeOf(value);
  SmallVector<int64_t> shape(type.getRank(), 1);
  if (auto constant = definedBy<nn::ConstantOp>(value)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || !elements.isSplat())
      return value;
    return nn::ConstantOp::create(builder, value.getLoc(),
                                  elements.resizeSplat(type.clone(shape)));
  }
  auto broadcast = definedBy<nn::BroadcastOp>(value);
  if (!broadcast)
    return value;
  for (auto [dim, size] :
       llvm::zip_equal(broadcast.getDims(), shapeOf(broadcast.getInput())))
    shape[dim] = size;
  return reshapeTo(builder, value.getLoc(), broadcast.getInput(), shape);
}

static bool exchangesLastTwo(ArrayRef<int64_t> perm) {
  int64_t rank = perm.size();
  return rank >= 2 && perm[rank - 1] == rank - 2 &&
         perm[rank - 2] == rank - 1 &&
         llvm::equal(perm.drop_back(2), llvm::seq<int64_t>(rank - 2));
}

Value dsc::exchangeLastTwo(OpBuilder &builder, Value value) {
  int64_t rank = typeOf(value).getRank();
  SmallVector<int64_t> exchanged(shapeOf(value));
  std::swap(exchanged[rank - 1], exchanged[rank - 2]);

  auto transpose = definedBy<nn::TransposeOp>(value);
  if (auto split = definedBy<nn::ReshapeOp>(value);
      split &&
      shapeOf(split.getInput()).take_back(2) == shapeOf(value).take_back(2))
    transpose = definedBy<nn::TransposeOp>(split.getInput());
  if (transpose && exchangesLastTwo(transpose.getPerm())) {
    auto merge = definedBy<nn::ReshapeOp>(transpose.getInput());
    if (merge && shapeOf(merge.getInput()) == ArrayRef<int64_t>(exchanged))
      return merge.getInput();
    return reshapeTo(builder, value.getLoc(), transpose.getInput(), exchanged);
  }

  auto perm = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(perm[rank - 1], perm[rank - 2]);
  if (transpose && transpose.getResult() == value) {
    // Two transposes in a row are one.
    for (int64_t &dim : perm)
      dim = transpose.getPerm()[dim];
    value = transpose.getInput();
  }
  return transposeTo(builder, value.getLoc(), value, perm);
}

//===----------------------------------------------------------------------===//
// What a pass does at its end
//===----------------------------------------------------------------------===//

void dsc::eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void dsc::remarkRaised(Operation *op, StringRef what) {
  remark::passed(op->getLoc(),
                 remark::RemarkOpts::name("Raised").category("normalize"))
      << ("raised to " + what).str();
}

void dsc::remarkNotRaised(Operation *op, StringRef what, StringRef why) {
  remark::missed(op->getLoc(),
                 remark::RemarkOpts::name("NotRaised").category("normalize"))
      << ("not raised to " + what + ": " + why).str();
}
