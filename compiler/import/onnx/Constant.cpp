#include "compiler/import/onnx/NodeImporter.h"
#include "compiler/import/onnx/TensorData.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using onnx::AttributeProto;

/// Scatters the values of a sparse tensor into a dense one of the same type.
static FailureOr<DenseElementsAttr>
readSparse(NodeImporter &node, const onnx::SparseTensorProto &sparse) {
  MLIRContext *context = node.builder.getContext();
  auto emit = [&] { return node.emitError() << "sparse_value "; };
  SmallVector<int64_t> dims(sparse.dims().begin(), sparse.dims().end());
  if (llvm::any_of(dims, ShapedType::isDynamic))
    return emit() << "has a negative dimension";
  auto type = tensorType(sparse.values().data_type(), dims, context, emit);
  auto valuesType = tensorType(sparse.values(), context, emit);
  auto indicesType = tensorType(sparse.indices(), context, emit);
  if (failed(type) || failed(valuesType) || failed(indicesType))
    return failure();
  // A sparse tensor may promise more elements than fit in memory.
  constexpr int64_t largestConstant = int64_t(1) << 28;
  if (type->getNumElements() > largestConstant)
    return emit() << "is too large to store dense: "
                  << shapeText(type->getShape());
  auto values = readElements(sparse.values(), *valuesType, emit);
  auto indices = readElements(sparse.indices(), *indicesType, emit);
  if (failed(values) || failed(indices))
    return failure();
  // Indices are positions in the flattened tensor, or one coordinate a dim.
  int64_t count = valuesType->getNumElements();
  bool linear = indicesType->getRank() == 1;
  int64_t width = linear ? 1 : type->getRank();
  if (!indicesType->getElementType().isInteger(64) ||
      indicesType->getRank() > 2 ||
      indicesType->getNumElements() != count * width)
    return emit() << "has indices that do not fit its values";

  SmallVector<Attribute> dense(
      type->getNumElements(), node.builder.getZeroAttr(type->getElementType()));
  auto coordinates = indices->getValues<int64_t>();
  for (auto [i, value] : llvm::enumerate(values->getValues<Attribute>())) {
    int64_t position = 0;
    for (int64_t k = 0; k != width; ++k) {
      int64_t size = linear ? type->getNumElements() : type->getDimSize(k);
      int64_t coordinate = coordinates[i * width + k];
      if (coordinate < 0 || coordinate >= size)
        return emit() << "has an index out of range: " << coordinate;
      position = position * size + coordinate;
    }
    dense[position] = value;
  }
  return DenseElementsAttr::get(*type, dense);
}

static FailureOr<DenseElementsAttr>
readTensor(NodeImporter &node, const onnx::TensorProto &tensor) {
  auto emit = [&] { return node.emitError() << "value "; };
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return emit() << "lies in external data, which only initializers may use";
  auto type = tensorType(tensor, node.builder.getContext(), emit);
  if (failed(type))
    return failure();
  return readElements(tensor, *type, emit);
}

/// The value of a Constant attribute, or null if the attribute is none.
static FailureOr<DenseElementsAttr> readValue(NodeImporter &node,
                                              const AttributeProto &attribute) {
  Builder &builder = node.builder;
  auto vector = [](int64_t size, Type element) {
    return RankedTensorType::get(size, element);
  };
  StringRef name = attribute.name();
  if (name == "value")
    return readTensor(node, attribute.t());
  if (name == "sparse_value")
    return readSparse(node, attribute.sparse_tensor());
  if (name == "value_float")
    return DenseElementsAttr::get(
        RankedTensorType::get({}, builder.getF32Type()), attribute.f());
  if (name == "value_int")
    return DenseElementsAttr::get(
        RankedTensorType::get({}, builder.getI64Type()),
        int64_t(attribute.i()));
  if (name == "value_floats")
    return DenseElementsAttr::get(
        vector(attribute.floats_size(), builder.getF32Type()),
        ArrayRef<float>(attribute.floats().data(), attribute.floats_size()));
  if (name == "value_ints") {
    SmallVector<int64_t> values(attribute.ints().begin(),
                                attribute.ints().end());
    return DenseElementsAttr::get(vector(values.size(), builder.getI64Type()),
                                  ArrayRef<int64_t>(values));
  }
  if (name == "value_string" || name == "value_strings")
    return node.emitError() << "string constants are not supported";
  return DenseElementsAttr();
}

LogicalResult onnx_import::importConstant(NodeImporter &node) {
  if (failed(node.checkInputs(0, 0)))
    return failure();
  DenseElementsAttr value;
  for (const AttributeProto &attribute : node.node().attribute()) {
    FailureOr<DenseElementsAttr> next = readValue(node, attribute);
    if (failed(next))
      return failure();
    if (*next && value)
      return node.emitError() << "has two values";
    if (*next)
      value = *next;
  }
  if (!value)
    return node.emitError() << "has no value";
  return node.finish(
      node.create<nn::ConstantOp>({}, node.attr("value", value)));
}
