#include "compiler/import/onnx/NodeImporter.h"
#include "compiler/import/onnx/TensorData.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"
#include <cstddef>

using namespace dsc::onnx_import;
using namespace mlir;
using llvm::StringRef;
using onnx::AttributeProto;

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

LogicalResult NodeImporter::checkInputs(unsigned least, unsigned most) const {
  if (inputCount() < least || inputCount() > most) {
    InFlightDiagnostic diagnostic = emitError();
    diagnostic << "takes " << least;
    if (most != least)
      diagnostic << " to " << most;
    return diagnostic << (most == 1 ? " input" : " inputs") << ", but has "
                      << inputCount();
  }
  for (unsigned i = 0; i != least; ++i)
    if (inputName(i).empty())
      return emitError() << "input " << i << " is required";
  return success();
}

Value NodeImporter::input(unsigned i) const {
  return i < inputCount() && !inputName(i).empty() ? values.lookup(inputName(i))
                                                   : Value();
}

std::string NodeImporter::describeInput(unsigned i) const {
  return ("'" + inputName(i) + "' (" + shapeText(inputType(i).getShape()) + ")")
      .str();
}

FailureOr<SmallVector<int64_t>>
NodeImporter::constantInts(unsigned i, StringRef meaning) const {
  auto constant = input(i).getDefiningOp<nn::ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || elements.getElementType().isInteger(1))
    return emitError() << "needs integer " << meaning
                       << " known at compile time, but input '" << inputName(i)
                       << "' is computed";
  return llvm::map_to_vector(elements.getValues<APInt>(),
                             [](const APInt &v) { return v.getSExtValue(); });
}

FailureOr<double> NodeImporter::constantNumber(unsigned i, StringRef meaning,
                                               double otherwise) const {
  if (!input(i))
    return otherwise;
  auto constant = input(i).getDefiningOp<nn::ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements)
    return emitError() << "needs its " << meaning
                       << " known at compile time, but input '" << inputName(i)
                       << "' is computed";
  if (elements.getNumElements() != 1)
    return emitError() << "needs one number as " << meaning << ", but input "
                       << describeInput(i) << " has "
                       << elements.getNumElements();
  if (isa<FloatType>(elements.getElementType()))
    return (*elements.getValues<APFloat>().begin()).convertToDouble();
  APInt value = *elements.getValues<APInt>().begin();
  return value.getBitWidth() == 1 ? double(value.getZExtValue())
                                  : double(value.getSExtValue());
}

Value NodeImporter::positions(unsigned i, int64_t rank) {
  RankedTensorType type = inputType(i);
  Type element = type.getElementType();
  if (!element.isInteger(64) && !element.isInteger(32)) {
    emitError() << "input '" << inputName(i) << "' must hold integers, but has "
                << element;
    return {};
  }
  Value value = input(i);
  // Real files give a vector of one number for a scalar, and the other way.
  if (rank == 0 && type.getRank() == 1 && type.getDimSize(0) == 1)
    value = create<nn::SqueezeOp>(value, attr("dims", ArrayRef<int64_t>{0}));
  else if (rank == 1 && type.getRank() == 0)
    value = create<nn::UnsqueezeOp>(value, attr("dims", ArrayRef<int64_t>{0}));
  else if (type.getRank() != rank) {
    emitError() << "input " << describeInput(i) << " must have rank " << rank;
    return {};
  }
  if (element.isInteger(64))
    return value;
  type = cast<RankedTensorType>(value.getType());
  return create<nn::CastOp>(value, {}, Type(type.clone(builder.getI64Type())));
}

LogicalResult NodeImporter::checkBroadcast(unsigned a, unsigned b) const {
  RankedTensorType lhs = inputType(a), rhs = inputType(b);
  if (lhs.getElementType() != rhs.getElementType())
    return emitError() << "inputs '" << inputName(a) << "' ("
                       << lhs.getElementType() << ") and '" << inputName(b)
                       << "' (" << rhs.getElementType()
                       << ") have different element types";
  for (auto [x, y] :
       llvm::zip(llvm::reverse(lhs.getShape()), llvm::reverse(rhs.getShape())))
    if (x != y && x != 1 && y != 1 && !ShapedType::isDynamic(x) &&
        !ShapedType::isDynamic(y))
      return emitError() << "inputs " << describeInput(a) << " and "
                         << describeInput(b) << " do not broadcast: dimensions "
                         << x << " and " << y << " differ";
  return success();
}

void NodeImporter::setOutput(unsigned i, Value value) {
  if (int(i) < proto.output_size() && !proto.output(i).empty())
    values[proto.output(i)] = value;
}

bool NodeImporter::hasOutput(unsigned i) const {
  return int(i) < proto.output_size() && !proto.output(i).empty() &&
         (!graph.uses(proto.output(i)).empty() ||
          graph.isOutput(proto.output(i)));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

FailureOr<const AttributeProto *>
NodeImporter::attribute(StringRef name,
                        AttributeProto::AttributeType type) const {
  for (const AttributeProto &attribute : proto.attribute()) {
    if (attribute.name() != name)
      continue;
    if (attribute.type() != type)
      return emitError() << "attribute '" << name << "' has type "
                         << int(attribute.type()) << " where "
                         << AttributeProto::AttributeType_Name(type)
                         << " is needed";
    return &attribute;
  }
  return nullptr;
}

FailureOr<int64_t> NodeImporter::intAttribute(StringRef name,
                                              int64_t otherwise) const {
  auto found = attribute(name, AttributeProto::INT);
  if (failed(found))
    return failure();
  return *found ? (*found)->i() : otherwise;
}

FailureOr<float> NodeImporter::floatAttribute(StringRef name,
                                              float otherwise) const {
  auto found = attribute(name, AttributeProto::FLOAT);
  if (failed(found))
    return failure();
  return *found ? (*found)->f() : otherwise;
}

FailureOr<std::string>
NodeImporter::stringAttribute(StringRef name, StringRef otherwise) const {
  auto found = attribute(name, AttributeProto::STRING);
  if (failed(found))
    return failure();
  return *found ? (*found)->s() : otherwise.str();
}

FailureOr<std::optional<SmallVector<int64_t>>>
NodeImporter::intsAttribute(StringRef name) const {
  auto found = attribute(name, AttributeProto::INTS);
  if (failed(found))
    return failure();
  if (!*found)
    return std::optional<SmallVector<int64_t>>();
  return std::optional(
      SmallVector<int64_t>((*found)->ints().begin(), (*found)->ints().end()));
}

FailureOr<int64_t> NodeImporter::normalizeAxis(int64_t axis, int64_t rank,
                                               int64_t limit) const {
  if (axis < -rank || axis >= limit)
    return emitError() << "axis " << axis << " is out of range for rank "
                       << rank;
  return axis < 0 ? axis + rank : axis;
}

FailureOr<SmallVector<int64_t>>
NodeImporter::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) const {
  SmallVector<int64_t> result;
  for (int64_t axis : axes) {
    FailureOr<int64_t> normalized = normalizeAxis(axis, rank);
    if (failed(normalized))
      return failure();
    result.push_back(*normalized);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    return emitError() << "names an axis twice";
  return result;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Infers the result types of an operation that does not exist yet.
static LogicalResult inferTypes(OperationName name, Location loc,
                                ValueRange operands, DictionaryAttr attributes,
                                SmallVectorImpl<Type> &types) {
  auto *interface = name.getInterface<InferTypeOpInterface>();
  SmallVector<std::max_align_t> storage(
      name.getOpPropertyByteSize() / sizeof(std::max_align_t) + 1);
  OpaqueProperties properties(storage.data());
  if (name.getOpPropertyByteSize())
    name.initOpProperties(properties, OpaqueProperties(nullptr));
  llvm::scope_exit cleanup([&] {
    if (name.getOpPropertyByteSize())
      name.destroyOpProperties(properties);
  });
  auto emit = [&] { return mlir::emitError(loc); };
  if (name.getOpPropertyByteSize() && failed(name.setOpPropertiesFromAttribute(
                                          name, properties, attributes, emit)))
    return failure();
  return interface->inferReturnTypes(loc.getContext(), loc, operands,
                                     attributes, properties, {}, types);
}

/// Arithmetic on integers that are known is done at once: whether the number of
/// dimensions of a later result is known may depend on it. What depends on
/// sizes is left for when they are bound.
Operation *NodeImporter::foldIntegers(Operation *op) {
  if (op->getNumResults() != 1 || op->hasTrait<OpTrait::ConstantLike>() ||
      !getElementTypeOrSelf(op->getResult(0)).isInteger())
    return op;
  SmallVector<Value> values;
  if (failed(builder.tryFold(op, values)) || values.empty())
    return op;
  Operation *constant = values.front().getDefiningOp();
  if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
    return op;
  op->erase();
  return constant;
}

Operation *NodeImporter::createOp(StringRef name, ValueRange operands,
                                  ArrayRef<NamedAttribute> attributes,
                                  TypeRange types) {
  if (llvm::is_contained(operands, Value()))
    return nullptr;
  OperationState state(loc, name);
  state.addOperands(operands);
  state.addAttributes(attributes);
  SmallVector<Type> inferred;
  if (types.empty()) {
    if (failed(inferTypes(state.name, loc, operands,
                          builder.getDictionaryAttr(attributes), inferred)))
      return nullptr;
    types = inferred;
  }
  state.addTypes(types);
  Operation *op = builder.create(state);
  if (failed(verify(op))) {
    op->erase();
    return nullptr;
  }
  return foldIntegers(op);
}

Operation *NodeImporter::finishTypes(Operation *op) {
  SmallVector<Type> types;
  if (failed(verify(op)) ||
      failed(cast<ShapeInferenceOpInterface>(op).reinferResultTypes(types))) {
    op->erase();
    return nullptr;
  }
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  return foldIntegers(op);
}

Value NodeImporter::constantVector(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(values.size(), builder.getI64Type());
  return create<nn::ConstantOp>(
      {}, attr("value", DenseElementsAttr::get(type, values)));
}

Value NodeImporter::constantScalar(Type element, double value) {
  return nn::createSplat(builder, loc, RankedTensorType::get({}, element),
                         value);
}

LogicalResult NodeImporter::broadcastTogether(Value &lhs, Value &rhs) {
  if (!lhs || !rhs)
    return failure();
  if (lhs.getType() == rhs.getType() &&
      cast<RankedTensorType>(lhs.getType()).hasStaticShape())
    return success();
  Operation *op =
      createOp(nn::BroadcastTogetherOp::getOperationName(), {lhs, rhs}, {});
  if (!op)
    return failure();
  SmallVector<Value> values;
  if (getElementTypeOrSelf(lhs).isInteger() &&
      getElementTypeOrSelf(rhs).isInteger() &&
      succeeded(builder.tryFold(op, values)) && !values.empty()) {
    op->erase();
    lhs = values[0];
    rhs = values[1];
    return success();
  }
  lhs = op->getResult(0);
  rhs = op->getResult(1);
  return success();
}
