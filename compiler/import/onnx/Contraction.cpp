#include "compiler/import/onnx/NodeImporter.h"
#include "compiler/import/onnx/TensorData.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;

static bool areDifferent(int64_t a, int64_t b) {
  return a != b && !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b);
}

/// Checks element types and the contracted dimensions of inputs 0 and 1.
static LogicalResult checkProduct(NodeImporter &node, int64_t left,
                                  int64_t right) {
  RankedTensorType lhs = node.inputType(0), rhs = node.inputType(1);
  if (lhs.getElementType() != rhs.getElementType() ||
      !isa<FloatType>(lhs.getElementType()))
    return node.emitError()
           << "multiplies '" << node.inputName(0) << "' ("
           << lhs.getElementType() << ") by '" << node.inputName(1) << "' ("
           << rhs.getElementType()
           << "); only floats of one type are supported";
  if (areDifferent(left, right))
    return node.emitError()
           << "cannot multiply " << node.describeInput(0) << " by "
           << node.describeInput(1) << ": inner dimensions " << left << " and "
           << right << " differ";
  return success();
}

/// Batch dimensions of a matrix product broadcast as in numpy.
static LogicalResult checkBatch(NodeImporter &node) {
  ArrayRef<int64_t> lhs = node.inputType(0).getShape().drop_back(2);
  ArrayRef<int64_t> rhs = node.inputType(1).getShape().drop_back(2);
  for (auto [a, b] : llvm::zip(llvm::reverse(lhs), llvm::reverse(rhs)))
    if (areDifferent(a, b) && a != 1 && b != 1)
      return node.emitError()
             << "cannot multiply " << node.describeInput(0) << " by "
             << node.describeInput(1) << ": batch dimensions " << a << " and "
             << b << " do not broadcast";
  return success();
}

LogicalResult onnx_import::importMatMul(NodeImporter &node) {
  if (failed(node.checkInputs(2, 2)))
    return failure();
  RankedTensorType lhsType = node.inputType(0), rhsType = node.inputType(1);
  int64_t lhsRank = lhsType.getRank(), rhsRank = rhsType.getRank();
  if (lhsRank == 0 || rhsRank == 0)
    return node.emitError()
           << "cannot multiply " << node.describeInput(0) << " by "
           << node.describeInput(1) << ": a scalar is no matrix";
  if (failed(
          checkProduct(node, lhsType.getShape().back(),
                       rhsType.getDimSize(std::max<int64_t>(rhsRank - 2, 0)))))
    return failure();
  // As in numpy, a vector is a row on the left and a column on the right, and
  // the dimension that made it a matrix is dropped again.
  Value lhs = node.input(0), rhs = node.input(1);
  if (lhsRank == 1)
    lhs = node.create<nn::UnsqueezeOp>(lhs,
                                       node.attr("dims", ArrayRef<int64_t>{0}));
  if (rhsRank == 1)
    rhs = node.create<nn::UnsqueezeOp>(rhs,
                                       node.attr("dims", ArrayRef<int64_t>{1}));
  if (lhsRank > 2 && rhsRank > 2 && failed(checkBatch(node)))
    return failure();
  Value product = node.create<nn::MatmulOp>({lhs, rhs});
  if (!product)
    return failure();
  int64_t rank = cast<RankedTensorType>(product.getType()).getRank();
  SmallVector<int64_t> dropped;
  if (lhsRank == 1)
    dropped.push_back(rank - 2);
  if (rhsRank == 1)
    dropped.push_back(rank - 1);
  if (!dropped.empty())
    product = node.create<nn::SqueezeOp>(product, node.attr("dims", dropped));
  return node.finish(product);
}

/// `value` times a constant, if that changes anything.
static Value scale(NodeImporter &node, Value value, float factor) {
  if (factor == 1 || !value)
    return value;
  Type element = cast<RankedTensorType>(value.getType()).getElementType();
  return node.createBroadcast<nn::MulOp>(value,
                                         node.constantScalar(element, factor));
}

/// Checks that C broadcasts to the product's shape without growing it.
static LogicalResult checkAddend(NodeImporter &node, RankedTensorType product) {
  RankedTensorType addend = node.inputType(2);
  bool fits = addend.getRank() <= 2 &&
              addend.getElementType() == product.getElementType();
  if (fits)
    for (auto [c, p] : llvm::zip(llvm::reverse(addend.getShape()),
                                 llvm::reverse(product.getShape())))
      fits &= c == 1 || !areDifferent(c, p);
  if (!fits)
    return node.emitError()
           << "cannot add " << node.describeInput(2) << " to the product of "
           << node.describeInput(0) << " and " << node.describeInput(1)
           << ", which is " << shapeText(product.getShape());
  return success();
}

LogicalResult onnx_import::importGemm(NodeImporter &node) {
  if (failed(node.checkInputs(2, 3)))
    return failure();
  FailureOr<float> alpha = node.floatAttribute("alpha", 1);
  FailureOr<float> beta = node.floatAttribute("beta", 1);
  FailureOr<int64_t> transA = node.intAttribute("transA", 0);
  FailureOr<int64_t> transB = node.intAttribute("transB", 0);
  if (failed(alpha) || failed(beta) || failed(transA) || failed(transB))
    return failure();
  RankedTensorType a = node.inputType(0), b = node.inputType(1);
  if (a.getRank() != 2 || b.getRank() != 2)
    return node.emitError()
           << "needs two matrices, but has " << node.describeInput(0) << " and "
           << node.describeInput(1);
  if (failed(checkProduct(node, a.getDimSize(*transA ? 0 : 1),
                          b.getDimSize(*transB ? 1 : 0))))
    return failure();

  SmallVector<NamedAttribute> flags;
  if (*transA)
    flags.push_back(node.attr("transpose_a", node.builder.getUnitAttr()));
  if (*transB)
    flags.push_back(node.attr("transpose_b", node.builder.getUnitAttr()));
  Value result = scale(
      node, node.create<nn::MatmulOp>({node.input(0), node.input(1)}, flags),
      *alpha);
  if (!result)
    return failure();
  if (node.input(2)) {
    if (failed(checkAddend(node, cast<RankedTensorType>(result.getType()))))
      return failure();
    // As in BLAS, a beta of 0 means that C is not read.
    if (*beta != 0)
      result = node.createBroadcast<nn::AddOp>(
          result, scale(node, node.input(2), *beta));
  }
  return node.finish(result);
}
