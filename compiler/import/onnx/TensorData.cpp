#include "compiler/import/onnx/TensorData.h"
#include "compiler/import/onnx/ExternalData.h"
#include "dialects/train/TrainOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace dsc;
using namespace dsc::onnx_import;
using namespace mlir;
using onnx::TensorProto;

/// More bytes than any machine addresses; keeps later sums free of overflow.
static constexpr int64_t largestTensorBytes = int64_t(1) << 48;

llvm::StringRef onnx_import::dataTypeName(int dataType) {
  static constexpr llvm::StringLiteral names[] = {
      "undefined",      "float",      "uint8",
      "int8",           "uint16",     "int16",
      "int32",          "int64",      "string",
      "bool",           "float16",    "double",
      "uint32",         "uint64",     "complex64",
      "complex128",     "bfloat16",   "float8e4m3fn",
      "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
      "uint4",          "int4",       "float4e2m1",
      "float8e8m0",     "uint2",      "int2"};
  if (dataType < 0 || size_t(dataType) >= std::size(names))
    return "unknown";
  return names[dataType];
}

Type onnx_import::elementType(int dataType, MLIRContext *context) {
  Builder builder(context);
  switch (dataType) {
  case TensorProto::FLOAT:
    return builder.getF32Type();
  case TensorProto::DOUBLE:
    return builder.getF64Type();
  case TensorProto::INT32:
    return builder.getI32Type();
  case TensorProto::INT64:
    return builder.getI64Type();
  case TensorProto::BOOL:
    return builder.getI1Type();
  default:
    return {};
  }
}

bool onnx_import::isHalf(int dataType) {
  return dataType == TensorProto::FLOAT16 || dataType == TensorProto::BFLOAT16;
}

const TensorProto *onnx_import::constantTensor(const onnx::NodeProto &node) {
  if (node.op_type() != "Constant" || !isDefaultDomain(node.domain()) ||
      node.output_size() != 1)
    return nullptr;
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == "value" && attribute.has_t())
      return &attribute.t();
  return nullptr;
}

int64_t onnx_import::elementBytes(Type elementType) {
  return (elementType.getIntOrFloatBitWidth() + 7) / 8;
}

std::string onnx_import::shapeText(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      shape, os,
      [&](int64_t dim) {
        ShapedType::isDynamic(dim) ? (os << "?") : (os << dim);
      },
      "x");
  return text;
}

FailureOr<RankedTensorType> onnx_import::tensorType(int dataType,
                                                    ArrayRef<int64_t> dims,
                                                    MLIRContext *context,
                                                    EmitError emitError) {
  Type element = elementType(dataType, context);
  if (!element) {
    InFlightDiagnostic diagnostic = emitError()
                                    << "element type " << dataTypeName(dataType)
                                    << " (" << dataType << ") is not supported";
    if (isHalf(dataType))
      diagnostic.attachNote()
          << "export the model in float32; --precision says in which type a "
             "step computes, and keeps float32 masters of the weights";
    return diagnostic;
  }
  // A symbolic dim counts as one; it is checked again once it is bound.
  int64_t bytes = elementBytes(element);
  for (int64_t dim : dims) {
    if (ShapedType::isDynamic(dim))
      continue;
    if (dim < 0)
      return emitError() << "has a negative dimension " << dim;
    std::optional<int64_t> product =
        llvm::checkedMul(bytes, std::max<int64_t>(dim, 1));
    if (!product || *product > largestTensorBytes)
      return emitError() << "has a shape too large to address: "
                         << shapeText(dims);
    bytes = *product;
  }
  return RankedTensorType::get(dims, element);
}

FailureOr<RankedTensorType> onnx_import::tensorType(const TensorProto &tensor,
                                                    MLIRContext *context,
                                                    EmitError emitError) {
  SmallVector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  // The marker of a symbolic dim is a number that a hostile file may hold.
  if (llvm::any_of(dims, ShapedType::isDynamic))
    return emitError() << "has a negative dimension";
  return tensorType(tensor.data_type(), dims, context, emitError);
}

FailureOr<RankedTensorType>
onnx_import::initializerType(const TensorProto &tensor, MLIRContext *context,
                             EmitError emitError) {
  if (!isHalf(tensor.data_type()))
    return tensorType(tensor, context, emitError);
  TensorProto wide = tensor;
  wide.set_data_type(TensorProto::FLOAT);
  FailureOr<RankedTensorType> type = tensorType(wide, context, emitError);
  if (failed(type))
    return failure();
  if (tensor.data_type() == TensorProto::FLOAT16)
    return type->clone(Float16Type::get(context));
  return type->clone(BFloat16Type::get(context));
}

namespace {

/// Copies an array of another width or alignment into an attribute.
template <typename To, typename Range>
FailureOr<DenseElementsAttr> convertElements(const Range &range,
                                             RankedTensorType type,
                                             EmitError emitError) {
  if (int64_t(range.size()) != type.getNumElements())
    return emitError() << "has " << range.size() << " values where "
                       << shapeText(type.getShape()) << " needs "
                       << type.getNumElements();
  SmallVector<To> values;
  values.reserve(range.size());
  for (auto value : range)
    values.push_back(static_cast<To>(value));
  return DenseElementsAttr::get(type, ArrayRef<To>(values));
}

/// Elements of little-endian bytes that need not be aligned.
template <typename T> SmallVector<T> copyElements(StringRef data) {
  SmallVector<T> values(data.size() / sizeof(T));
  if (!values.empty())
    memcpy(values.data(), data.data(), values.size() * sizeof(T));
  return values;
}

/// Widens 16-bit floats, given by their bits.
template <typename Range>
FailureOr<DenseElementsAttr>
widenElements(const Range &range, RankedTensorType type, EmitError emitError) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type.getElementType()).getFloatSemantics();
  SmallVector<float> values;
  for (auto bits : range)
    values.push_back(
        APFloat(semantics, APInt(16, uint16_t(bits))).convertToFloat());
  return convertElements<float>(
      values, type.clone(Float32Type::get(type.getContext())), emitError);
}

int64_t tensorBytes(RankedTensorType type) {
  return type.getNumElements() * elementBytes(type.getElementType());
}

LogicalResult checkBytes(uint64_t bytes, RankedTensorType type,
                         EmitError emitError) {
  if (bytes == uint64_t(tensorBytes(type)))
    return success();
  return emitError() << "has " << bytes << " bytes of data where "
                     << shapeText(type.getShape()) << " of "
                     << type.getElementType() << " needs " << tensorBytes(type);
}

} // namespace

FailureOr<DenseElementsAttr> onnx_import::readElements(StringRef data,
                                                       RankedTensorType type,
                                                       EmitError emitError) {
  if (failed(checkBytes(data.size(), type, emitError)))
    return failure();
  Type element = type.getElementType();
  if (element.isF32())
    return convertElements<float>(copyElements<float>(data), type, emitError);
  if (element.isF64())
    return convertElements<double>(copyElements<double>(data), type, emitError);
  if (element.isInteger(32))
    return convertElements<int32_t>(copyElements<int32_t>(data), type,
                                    emitError);
  if (element.isInteger(64))
    return convertElements<int64_t>(copyElements<int64_t>(data), type,
                                    emitError);
  if (element.getIntOrFloatBitWidth() == 16)
    return widenElements(copyElements<uint16_t>(data), type, emitError);
  return convertElements<bool>(copyElements<uint8_t>(data), type, emitError);
}

FailureOr<DenseElementsAttr>
onnx_import::readElements(const TensorProto &tensor, RankedTensorType type,
                          EmitError emitError) {
  if (tensor.has_raw_data())
    return readElements(StringRef(tensor.raw_data()), type, emitError);
  switch (tensor.data_type()) {
  case TensorProto::FLOAT:
    return convertElements<float>(tensor.float_data(), type, emitError);
  case TensorProto::DOUBLE:
    return convertElements<double>(tensor.double_data(), type, emitError);
  case TensorProto::INT64:
    return convertElements<int64_t>(tensor.int64_data(), type, emitError);
  case TensorProto::BOOL:
    return convertElements<bool>(tensor.int32_data(), type, emitError);
  case TensorProto::FLOAT16:
  case TensorProto::BFLOAT16:
    return widenElements(tensor.int32_data(), type, emitError);
  default:
    return convertElements<int32_t>(tensor.int32_data(), type, emitError);
  }
}

/// The range of an initializer's bytes, or nullopt if they lie in none.
/// `missing` tells of a file that does not exist; if it is null, that is an
/// error as any other.
static FailureOr<std::optional<FileRange>>
locateBytes(const Model &model, int index, RankedTensorType type,
            std::string *missing, EmitError emitError) {
  const TensorProto &tensor = model.graph().initializer(index);
  if (tensor.data_location() == TensorProto::EXTERNAL) {
    llvm::Expected<FileRange> range =
        locateExternalData(model.path, tensor, tensorBytes(type));
    if (range)
      return std::optional(*range);
    std::error_code code;
    std::string message;
    llvm::handleAllErrors(range.takeError(),
                          [&](const llvm::ErrorInfoBase &error) {
                            code = error.convertToErrorCode();
                            message = error.message();
                          });
    if (!missing || code != std::errc::no_such_file_or_directory)
      return emitError() << message;
    *missing = message;
    return std::optional<FileRange>();
  }
  const InlineData &data = model.initializers[index];
  using Field = InlineData::Field;
  Type element = type.getElementType();
  if (data.field == Field::None)
    return std::optional<FileRange>();
  if ((data.field == Field::FloatData && !element.isF32()) ||
      (data.field == Field::DoubleData && !element.isF64()))
    return emitError() << "keeps its values in a field that does not fit its "
                          "element type";
  if (failed(checkBytes(data.bytes, type, emitError)))
    return failure();
  return std::optional(FileRange{model.path, data.offset, data.bytes});
}

FailureOr<Attribute> onnx_import::locateData(const Model &model, int index,
                                             RankedTensorType type,
                                             std::string &missing,
                                             EmitError emitError) {
  auto range = locateBytes(model, index, type, &missing, emitError);
  if (failed(range))
    return failure();
  if (!missing.empty())
    return Attribute();
  if (*range)
    return Attribute(train::FileAttr::get(model.context, (*range)->path,
                                          (*range)->offset, (*range)->bytes));
  FailureOr<DenseElementsAttr> values =
      readElements(model.graph().initializer(index), type, emitError);
  if (failed(values))
    return failure();
  return Attribute(*values);
}

FailureOr<DenseElementsAttr> onnx_import::readInitializer(const Model &model,
                                                          int index,
                                                          RankedTensorType type,
                                                          EmitError emitError) {
  auto range = locateBytes(model, index, type, /*missing=*/nullptr, emitError);
  if (failed(range))
    return failure();
  if (!*range)
    return readElements(model.graph().initializer(index), type, emitError);
  if ((*range)->path == model.path)
    return readElements(
        model.file->getBuffer().substr((*range)->offset, (*range)->bytes), type,
        emitError);
  auto slice = llvm::MemoryBuffer::getFileSlice((*range)->path, (*range)->bytes,
                                                (*range)->offset);
  if (!slice)
    return emitError() << "cannot read external data '" << (*range)->path
                       << "': " << slice.getError().message();
  return readElements((*slice)->getBuffer(), type, emitError);
}

FailureOr<DenseElementsAttr> onnx_import::fillShape(const onnx::NodeProto &node,
                                                    ArrayRef<int64_t> shape,
                                                    MLIRContext *context,
                                                    EmitError emitError) {
  if (llvm::any_of(shape, ShapedType::isDynamic))
    return emitError() << "has a negative dimension";
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.name() != "value")
      continue;
    const TensorProto &value = attribute.t();
    auto valueType = tensorType(value, context, emitError);
    auto type = tensorType(value.data_type(), shape, context, emitError);
    if (failed(valueType) || failed(type))
      return failure();
    auto elements = readElements(value, *valueType, emitError);
    if (failed(elements))
      return failure();
    if (elements->getNumElements() != 1)
      return emitError() << "value has " << elements->getNumElements()
                         << " elements, not one";
    return DenseElementsAttr::get(*type,
                                  *elements->getValues<Attribute>().begin());
  }
  auto type = tensorType(TensorProto::FLOAT, shape, context, emitError);
  if (failed(type))
    return failure();
  return DenseElementsAttr::get(*type, 0.0f);
}
