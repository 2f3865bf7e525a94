#include "passes/normalize/KnownValues.h"
#include "dialects/nn/NnOps.h"
#include "dialects/train/TrainOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <cstring>
#include <functional>

using namespace dsc;
using namespace mlir;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t countElements(ArrayRef<int64_t> shape) {
  return llvm::product_of(shape);
}

/// Calls `visit` with each index of `shape`, in row-major order.
static void forEachIndex(ArrayRef<int64_t> shape,
                         llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, end = countElements(shape); i != end; ++i) {
    visit(index);
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
}

double KnownTensor::at(ArrayRef<int64_t> index) const {
  int64_t position = 0;
  for (auto [i, size] : llvm::zip_equal(index, shape))
    position = position * size + (size == 1 ? 0 : i);
  return elements[position];
}

/// `number` as an element of `type` holds it.
static double roundTo(Type type, double number) {
  if (type.isInteger(1))
    return number != 0;
  if (type.isInteger())
    return std::trunc(number);
  return type.isF32() ? static_cast<float>(number) : number;
}

namespace {

/// One evaluation: every operation below the value once.
class Evaluator {
public:
  explicit Evaluator(SymbolTable &symbols) : symbols(symbols) {}

  /// Null if the value is not known.
  const KnownTensor *visit(Value value, unsigned depth = 0) {
    auto [it, isNew] = known.try_emplace(value);
    if (isNew && depth < maxDepth)
      if (std::optional<KnownTensor> result = compute(value, depth + 1))
        known[value] = std::make_unique<KnownTensor>(std::move(*result));
    return known[value].get();
  }

private:
  // Masks are shallow; a deep network is not looked through.
  static constexpr unsigned maxDepth = 48;

  std::optional<KnownTensor> compute(Value value, unsigned depth);
  std::optional<KnownTensor> computeElementwise(Operation *op, unsigned depth);
  std::optional<KnownTensor> computeRead(train::ReadOp op);
  std::optional<KnownTensor> computeReshape(nn::ReshapeOp op, unsigned depth);
  std::optional<KnownTensor> computeGather(nn::GatherOp op, unsigned depth);
  std::optional<KnownTensor> computeConcat(nn::ConcatOp op, unsigned depth);
  std::optional<KnownTensor> computeCumSum(nn::CumSumOp op, unsigned depth);
  std::optional<KnownTensor> computeMoved(Operation *op, unsigned depth);
  /// `shape` in row-major order, the element at an index given by `element`.
  static std::optional<KnownTensor>
  build(SmallVector<int64_t> shape,
        llvm::function_ref<double(ArrayRef<int64_t>)> element);
  /// All elements of a tensor of `shape`, repeated ones too.
  static std::optional<KnownTensor> repeat(const KnownTensor &tensor,
                                           ArrayRef<int64_t> shape) {
    return build(SmallVector<int64_t>(shape),
                 [&](ArrayRef<int64_t> index) { return tensor.at(index); });
  }

  SymbolTable &symbols;
  llvm::DenseMap<Value, std::unique_ptr<KnownTensor>> known;
};

} // namespace

std::optional<KnownTensor>
Evaluator::build(SmallVector<int64_t> shape,
                 llvm::function_ref<double(ArrayRef<int64_t>)> element) {
  if (countElements(shape) > KnownValues::maxElements)
    return std::nullopt;
  KnownTensor result{std::move(shape), {}};
  result.elements.reserve(countElements(result.shape));
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    result.elements.push_back(element(index));
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Where numbers come from
//===----------------------------------------------------------------------===//

static std::optional<KnownTensor> fromDense(DenseElementsAttr elements) {
  auto type = cast<RankedTensorType>(elements.getType());
  int64_t count = type.getNumElements();
  if (count == 0 || (count > KnownValues::maxElements && !elements.isSplat()))
    return std::nullopt;
  KnownTensor result{SmallVector<int64_t>(type.getShape()), {}};
  if (elements.isSplat()) {
    result.shape.assign(type.getRank(), 1);
    count = 1;
  }
  result.elements.reserve(count);
  if (isa<FloatType>(type.getElementType()))
    for (const APFloat &number :
         llvm::make_range(elements.value_begin<APFloat>(),
                          std::next(elements.value_begin<APFloat>(), count)))
      result.elements.push_back(number.convertToDouble());
  else
    for (const APInt &number :
         llvm::make_range(elements.value_begin<APInt>(),
                          std::next(elements.value_begin<APInt>(), count)))
      result.elements.push_back(number.getBitWidth() == 1
                                    ? double(number.getZExtValue())
                                    : double(number.getSExtValue()));
  return result;
}

/// The element of `type` whose little-endian bytes start at `bytes`.
static double decode(const char *bytes, Type type, unsigned size) {
  uint64_t bits = 0;
  memcpy(&bits, bytes, size);
  if (type.isInteger(1))
    return bits != 0;
  APInt number(type.getIntOrFloatBitWidth(), bits);
  if (auto floatType = dyn_cast<FloatType>(type))
    return APFloat(floatType.getFloatSemantics(), number).convertToDouble();
  return static_cast<double>(number.getSExtValue());
}

std::optional<KnownTensor> Evaluator::computeRead(train::ReadOp op) {
  auto parameter =
      symbols.lookup<train::ParameterOp>(op.getSymbolAttr().getAttr());
  if (!parameter || parameter.isTrainable() || !parameter.getInitial())
    return std::nullopt;
  if (auto elements = dyn_cast<DenseElementsAttr>(*parameter.getInitial()))
    return fromDense(elements);
  auto file = dyn_cast<train::FileAttr>(*parameter.getInitial());
  RankedTensorType type = typeOf(op.getResult());
  int64_t count = type.getNumElements();
  if (!file || count > KnownValues::maxElements)
    return std::nullopt;
  Type storage = parameter.getStorageElementType();
  unsigned size = llvm::divideCeil(storage.getIntOrFloatBitWidth(), 8);
  auto data = llvm::MemoryBuffer::getFileSlice(file.getPath(), file.getBytes(),
                                               file.getOffset());
  // Who writes the weights reports a file that cannot be read.
  if (!data || int64_t((*data)->getBufferSize()) < count * size)
    return std::nullopt;
  KnownTensor result{SmallVector<int64_t>(type.getShape()), {}};
  for (int64_t i = 0; i != count; ++i)
    result.elements.push_back(
        roundTo(type.getElementType(),
                decode((*data)->getBufferStart() + i * size, storage, size)));
  return result;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool compareNumbers(nn::ComparePredicate predicate, double x, double y) {
  switch (predicate) {
  case nn::ComparePredicate::eq:
    return x == y;
  case nn::ComparePredicate::ne:
    return x != y;
  case nn::ComparePredicate::lt:
    return x < y;
  case nn::ComparePredicate::le:
    return x <= y;
  case nn::ComparePredicate::gt:
    return x > y;
  case nn::ComparePredicate::ge:
    return x >= y;
  }
  llvm_unreachable("all predicates are handled above");
}

using ScalarFunction = std::function<double(ArrayRef<double>)>;

/// What `op` does to one element of each operand; null if it is not known here.
static ScalarFunction getScalarFunction(Operation *op) {
  using X = ArrayRef<double>;
  bool isInteger = getElementTypeOrSelf(op->getResult(0).getType()).isInteger();
  return llvm::TypeSwitch<Operation *, ScalarFunction>(op)
      .Case([](nn::NegOp) { return [](X x) { return -x[0]; }; })
      .Case([](nn::AbsOp) { return [](X x) { return std::abs(x[0]); }; })
      .Case([](nn::SqrtOp) { return [](X x) { return std::sqrt(x[0]); }; })
      .Case([](nn::ExpOp) { return [](X x) { return std::exp(x[0]); }; })
      .Case([](nn::LogOp) { return [](X x) { return std::log(x[0]); }; })
      .Case([](nn::ReciprocalOp) { return [](X x) { return 1 / x[0]; }; })
      .Case([](nn::NotOp) { return [](X x) -> double { return !x[0]; }; })
      .Case([](nn::IsFiniteOp) {
        return [](X x) -> double { return std::isfinite(x[0]); };
      })
      .Case([](nn::CastOp) { return [](X x) { return x[0]; }; })
      .Case([](nn::AddOp) { return [](X x) { return x[0] + x[1]; }; })
      .Case([](nn::SubOp) { return [](X x) { return x[0] - x[1]; }; })
      .Case([](nn::MulOp) { return [](X x) { return x[0] * x[1]; }; })
      .Case([&](nn::DivOp) -> ScalarFunction {
        if (isInteger)
          return [](X x) { return x[1] == 0 ? 0 : std::trunc(x[0] / x[1]); };
        return [](X x) { return x[0] / x[1]; };
      })
      .Case([](nn::PowOp) { return [](X x) { return std::pow(x[0], x[1]); }; })
      .Case([](nn::MaxOp) { return [](X x) { return std::max(x[0], x[1]); }; })
      .Case([](nn::MinOp) { return [](X x) { return std::min(x[0], x[1]); }; })
      .Case(
          [](nn::AndOp) { return [](X x) -> double { return x[0] && x[1]; }; })
      .Case([](nn::OrOp) { return [](X x) -> double { return x[0] || x[1]; }; })
      .Case([](nn::SelectOp) { return [](X x) { return x[0] ? x[1] : x[2]; }; })
      .Case([](nn::CompareOp compare) {
        return [predicate = compare.getPredicate()](X x) -> double {
          return compareNumbers(predicate, x[0], x[1]);
        };
      })
      .Default([](Operation *) { return ScalarFunction(); });
}

std::optional<KnownTensor> Evaluator::computeElementwise(Operation *op,
                                                         unsigned depth) {
  ScalarFunction function = getScalarFunction(op);
  if (!function)
    return std::nullopt;
  SmallVector<const KnownTensor *, 3> operands;
  SmallVector<int64_t> shape(typeOf(op->getResult(0)).getRank(), 1);
  for (Value operand : op->getOperands()) {
    const KnownTensor *tensor = visit(operand, depth);
    if (!tensor)
      return std::nullopt;
    operands.push_back(tensor);
    for (auto [size, other] : llvm::zip_equal(shape, tensor->shape))
      size = std::max(size, other);
  }
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  SmallVector<double, 3> scalars(operands.size());
  return build(shape, [&](ArrayRef<int64_t> index) {
    for (auto [scalar, tensor] : llvm::zip(scalars, operands))
      scalar = tensor->at(index);
    return roundTo(type, function(scalars));
  });
}

static SmallVector<int64_t> withoutUnits(ArrayRef<int64_t> shape) {
  return llvm::to_vector(
      llvm::make_filter_range(shape, [](int64_t size) { return size != 1; }));
}

std::optional<KnownTensor> Evaluator::computeReshape(nn::ReshapeOp op,
                                                     unsigned depth) {
  const KnownTensor *input = visit(op.getInput(), depth);
  if (!input)
    return std::nullopt;
  ArrayRef<int64_t> from = op.getInput().getType().getShape();
  ArrayRef<int64_t> to = op.getType().getShape();
  // Repeated elements stay implicit where only sizes of 1 come and go.
  if (withoutUnits(from) == withoutUnits(to)) {
    KnownTensor result = *input;
    result.shape.clear();
    unsigned next = 0;
    for (int64_t size : to) {
      while (size != 1 && from[next] == 1)
        ++next;
      result.shape.push_back(size == 1 ? 1 : input->shape[next++]);
    }
    return result;
  }
  std::optional<KnownTensor> full = repeat(*input, from);
  if (full)
    full->shape.assign(to.begin(), to.end());
  return full;
}

std::optional<KnownTensor> Evaluator::computeGather(nn::GatherOp op,
                                                    unsigned depth) {
  const KnownTensor *data = visit(op.getData(), depth);
  const KnownTensor *indices = data ? visit(op.getIndices(), depth) : nullptr;
  if (!indices)
    return std::nullopt;
  int64_t dim = op.getDim(), extent = typeOf(op.getData()).getDimSize(dim);
  for (double index : indices->elements)
    if (index < -extent || index >= extent)
      return std::nullopt;
  int64_t indexRank = indices->shape.size();
  ArrayRef<int64_t> dataShape = data->shape;
  SmallVector<int64_t> shape(dataShape.take_front(dim));
  llvm::append_range(shape, indices->shape);
  llvm::append_range(shape, dataShape.drop_front(dim + 1));
  SmallVector<int64_t> source(dataShape.size());
  return build(shape, [&](ArrayRef<int64_t> index) {
    int64_t position = indices->at(index.slice(dim, indexRank));
    llvm::copy(index.take_front(dim), source.begin());
    source[dim] = position < 0 ? position + extent : position;
    llvm::copy(index.drop_front(dim + indexRank), source.begin() + dim + 1);
    return data->at(source);
  });
}

std::optional<KnownTensor> Evaluator::computeConcat(nn::ConcatOp op,
                                                    unsigned depth) {
  int64_t dim = op.getDim();
  SmallVector<const KnownTensor *> parts;
  SmallVector<int64_t> ends, shape(op.getType().getRank(), 1);
  for (Value input : op.getInputs()) {
    const KnownTensor *part = visit(input, depth);
    if (!part)
      return std::nullopt;
    parts.push_back(part);
    ends.push_back((ends.empty() ? 0 : ends.back()) +
                   typeOf(input).getDimSize(dim));
    for (auto [size, other] : llvm::zip_equal(shape, part->shape))
      size = std::max(size, other);
  }
  shape[dim] = op.getType().getDimSize(dim);
  SmallVector<int64_t> source(shape.size());
  return build(shape, [&](ArrayRef<int64_t> index) {
    int64_t part = llvm::upper_bound(ends, index[dim]) - ends.begin();
    source.assign(index.begin(), index.end());
    source[dim] -= part == 0 ? 0 : ends[part - 1];
    return parts[part]->at(source);
  });
}

std::optional<KnownTensor> Evaluator::computeCumSum(nn::CumSumOp op,
                                                    unsigned depth) {
  const KnownTensor *input = visit(op.getInput(), depth);
  if (!input || op.getReverse())
    return std::nullopt;
  int64_t dim = op.getDim();
  SmallVector<int64_t> shape = input->shape, source(shape.size());
  shape[dim] = op.getType().getDimSize(dim);
  // The sums up to the element before, which row-major order visits earlier.
  SmallVector<int64_t> flat = shape;
  flat[dim] = 1;
  KnownTensor sums{flat, std::vector<double>(countElements(flat), 0)};
  return build(shape, [&](ArrayRef<int64_t> index) {
    int64_t position = 0;
    for (auto [i, size] : llvm::zip_equal(index, flat))
      position = position * size + (size == 1 ? 0 : i);
    double before = sums.elements[position];
    sums.elements[position] += input->at(index);
    return op.getExclusive() ? before : sums.elements[position];
  });
}

/// Operations that take each element from another place.
std::optional<KnownTensor> Evaluator::computeMoved(Operation *op,
                                                   unsigned depth) {
  const KnownTensor *input = visit(op->getOperand(0), depth);
  if (!input)
    return std::nullopt;
  SmallVector<int64_t> shape(typeOf(op->getResult(0)).getRank(), 1);
  SmallVector<int64_t> source(input->shape.size());
  if (auto broadcast = dyn_cast<nn::BroadcastOp>(op)) {
    for (auto [dim, size] : llvm::zip_equal(broadcast.getDims(), input->shape))
      shape[dim] = size;
    return KnownTensor{shape, input->elements};
  }
  if (auto transpose = dyn_cast<nn::TransposeOp>(op)) {
    ArrayRef<int64_t> perm = transpose.getPerm();
    for (auto [size, from] : llvm::zip_equal(shape, perm))
      size = input->shape[from];
    return build(shape, [&](ArrayRef<int64_t> index) {
      for (auto [i, from] : llvm::zip_equal(index, perm))
        source[from] = i;
      return input->at(source);
    });
  }
  auto slice = cast<nn::SliceOp>(op);
  for (auto [size, from, taken] :
       llvm::zip_equal(shape, input->shape, slice.getSizes()))
    size = from == 1 ? 1 : taken;
  return build(shape, [&](ArrayRef<int64_t> index) {
    for (auto [to, i, offset, stride] :
         llvm::zip_equal(source, index, slice.getOffsets(), slice.getStrides()))
      to = offset + i * stride;
    return input->at(source);
  });
}

std::optional<KnownTensor> Evaluator::compute(Value value, unsigned depth) {
  using Result = std::optional<KnownTensor>;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !type || !type.hasStaticShape() || type.getNumElements() == 0)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](train::ReadOp op) { return computeRead(op); })
      .Case([&](nn::ConstantOp op) {
        auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
        return elements ? fromDense(elements) : std::nullopt;
      })
      .Case([&](nn::IotaOp op) {
        int64_t dim = op.getDim();
        SmallVector<int64_t> shape(type.getRank(), 1);
        shape[dim] = type.getDimSize(dim);
        return build(shape, [&](ArrayRef<int64_t> index) -> double {
          return index[dim];
        });
      })
      .Case([&](nn::ReshapeOp op) { return computeReshape(op, depth); })
      .Case([&](nn::GatherOp op) { return computeGather(op, depth); })
      .Case([&](nn::ConcatOp op) { return computeConcat(op, depth); })
      .Case([&](nn::CumSumOp op) { return computeCumSum(op, depth); })
      .Case<nn::BroadcastOp, nn::TransposeOp, nn::SliceOp>(
          [&](Operation *op) { return computeMoved(op, depth); })
      .Default([&](Operation *op) { return computeElementwise(op, depth); });
}

//===----------------------------------------------------------------------===//
// KnownValues
//===----------------------------------------------------------------------===//

std::optional<KnownTensor> KnownValues::evaluate(Value value) {
  Evaluator evaluator(symbols);
  if (const KnownTensor *result = evaluator.visit(value))
    return *result;
  return std::nullopt;
}

std::optional<double> KnownValues::getSplat(Value value) {
  std::optional<KnownTensor> tensor = evaluate(value);
  if (!tensor)
    return std::nullopt;
  double first = tensor->elements.front();
  for (double number : tensor->elements)
    if (number != first)
      return std::nullopt;
  return first;
}

bool KnownValues::isSplat(Value value, double number) {
  std::optional<double> splat = getSplat(value);
  return splat && (*splat == number ||
                   std::abs(*splat - number) <= 1e-6 * std::abs(number));
}
