// Checks that an op can make alone; ExecVerifySymbols.cpp has those that look a
// symbol up.

#include "dialects/exec/ExecOps.h"

using namespace mlir;
using namespace dsc::exec;

static bool isOneDynamicDim(MemRefType type) {
  return type.getRank() == 1 && type.isDynamicDim(0);
}

static LogicalResult verifyDense(Operation *op, MemRefType type) {
  if (!type.getLayout().isIdentity() || type.getMemorySpace())
    return op->emitOpError("names dense, row-major memory, but its view is ")
           << type;
  if (!type.getElementType().isIntOrFloat())
    return op->emitOpError("cannot view elements of type ")
           << type.getElementType();
  return success();
}

static LogicalResult verifyFlat(Operation *op, Value view) {
  auto type = cast<MemRefType>(view.getType());
  if (!isOneDynamicDim(type))
    return op->emitOpError("expects a view memref<?xT>, not ") << type;
  return verifyDense(op, type);
}

static LogicalResult verifyStatic(Operation *op, Value view) {
  auto type = cast<MemRefType>(view.getType());
  if (!type.hasStaticShape())
    return op->emitOpError("expects a static view, not ") << type;
  return verifyDense(op, type);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

LogicalResult StateOp::verify() {
  int64_t product = 1;
  for (int64_t dim : getShape()) {
    if (dim < 0)
      return emitOpError("has a negative dim in its shape");
    product *= dim;
  }
  if (static_cast<int64_t>(getElements()) != product)
    return emitOpError("has ")
           << getElements() << " elements, but its shape has " << product;
  if (!getElementType().isIntOrFloat())
    return emitOpError("cannot hold elements of type ") << getElementType();
  if (getOffloaded() && getStateClass() != StateClass::Optimizer)
    return emitOpError("of class ")
           << stringifyStateClass(getStateClass()) << " cannot be offloaded";
  return success();
}

LogicalResult GroupOp::verify() {
  if (!getElementType().isIntOrFloat())
    return emitOpError("cannot hold elements of type ") << getElementType();
  int64_t elementBytes = getElementBytes(getElementType());
  int64_t end = 0;
  for (Attribute attribute : getSegments()) {
    auto segment = dyn_cast<SegmentAttr>(attribute);
    if (!segment)
      return emitOpError("expects segments of kind #exec.segment, not ")
             << attribute;
    if (segment.getOffset() < end || segment.getElements() < 0)
      return emitOpError("has segment ")
             << segment.getTensor() << " out of order or overlapping";
    if (segment.getOffset() * elementBytes % 128 != 0)
      return emitOpError("has segment ")
             << segment.getTensor() << " that does not start on 128 bytes";
    end = segment.getOffset() + segment.getElements();
  }
  if (end > static_cast<int64_t>(getElements()))
    return emitOpError("has segments that end at element ")
           << end << ", behind its " << getElements() << " elements";
  return success();
}

static LogicalResult verifyTensorList(ProgramOp program, ArrayAttr list,
                                      StringRef what, bool inArena) {
  for (auto [index, attribute] : llvm::enumerate(list)) {
    auto entry = dyn_cast<DictionaryAttr>(attribute);
    auto type = entry ? entry.getAs<TypeAttr>("type") : TypeAttr();
    auto tensor =
        type ? dyn_cast<RankedTensorType>(type.getValue()) : RankedTensorType();
    if (!tensor || !tensor.hasStaticShape() ||
        !tensor.getElementType().isIntOrFloat() ||
        !entry.getAs<StringAttr>("name"))
      return program.emitOpError("expects a name and a static tensor type in ")
             << what << " " << index;
    if (!inArena)
      continue;
    auto offset = entry.getAs<IntegerAttr>("offset");
    int64_t bytes =
        tensor.getNumElements() * getElementBytes(tensor.getElementType());
    if (!offset || offset.getInt() < 0 ||
        offset.getInt() + bytes > static_cast<int64_t>(program.getArena()))
      return program.emitOpError("expects an offset inside the arena of ")
             << program.getArena() << " bytes in " << what << " " << index;
  }
  return success();
}

LogicalResult ProgramOp::verify() {
  if (static_cast<int64_t>(getArena()) < 0)
    return emitOpError("has a negative arena size");
  if (failed(verifyTensorList(*this, getInputs(), "input", /*inArena=*/false)))
    return failure();
  return verifyTensorList(*this, getOutputs(), "output", /*inArena=*/true);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult InputOp::verify() {
  if (failed(verifyStatic(*this, getView())))
    return failure();
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (!program || static_cast<int64_t>(getIndex()) < 0 ||
      getIndex() >= program.getInputs().size())
    return emitOpError("names input ")
           << getIndex() << ", which its program does not have";
  auto entry = dyn_cast<DictionaryAttr>(program.getInputs()[getIndex()]);
  auto type = entry ? entry.getAs<TypeAttr>("type") : TypeAttr();
  auto tensor =
      type ? dyn_cast<RankedTensorType>(type.getValue()) : RankedTensorType();
  auto view = cast<MemRefType>(getView().getType());
  if (tensor && tensor.hasStaticShape() &&
      (tensor.getElementType() != view.getElementType() ||
       tensor.getNumElements() != view.getNumElements()))
    return emitOpError("views input of type ") << tensor << " as " << view;
  return success();
}

LogicalResult ArenaViewOp::verify() {
  if (getPartOf() ? failed(verifyFlat(*this, getView()))
                  : failed(verifyStatic(*this, getView())))
    return failure();
  if (getPartOf().has_value() != getBound().has_value() ||
      static_cast<int64_t>(getBound().value_or(0)) < 0)
    return emitOpError("expects a bound with part_of, and not less than 0");
  int64_t offset = getOffset();
  auto type = cast<MemRefType>(getView().getType());
  if (offset < 0 || offset % getElementBytes(type.getElementType()) != 0)
    return emitOpError("has offset ")
           << offset << ", which is no multiple of its element size";
  return success();
}

LogicalResult StateViewOp::verify() { return verifyStatic(*this, getView()); }
LogicalResult PartViewOp::verify() { return verifyFlat(*this, getView()); }
LogicalResult ShardViewOp::verify() { return verifyFlat(*this, getView()); }
LogicalResult FlatViewOp::verify() { return verifyFlat(*this, getView()); }

LogicalResult RangeViewOp::verify() {
  if (!getArray().getDefiningOp<ArenaViewOp>() ||
      !cast<MemRefType>(getArray().getType()).hasStaticShape())
    return emitOpError("expects a static view of the arena");
  return verifyFlat(*this, getView());
}

LogicalResult StagingViewOp::verify() {
  if ((getBelow() || getAbove()) && !(getOf() && getBelow() != getAbove()))
    return emitOpError("expects shards of ranks below or of ranks above");
  auto type = cast<MemRefType>(getView().getType());
  bool fits = getOf() ? type.getRank() == 2 && type.getNumDynamicDims() == 2
                      : type.getRank() == 2 && type.isDynamicDim(0) &&
                            !type.isDynamicDim(1);
  if (!fits)
    return emitOpError("expects a view ")
           << (getOf() ? "memref<?x?xT>" : "memref<?xKxT>") << ", not " << type;
  return verifyDense(*this, type);
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

LogicalResult EventRecordOp::verify() {
  if (static_cast<int64_t>(getEvent()) < 0)
    return emitOpError("has a negative event number");
  return success();
}

LogicalResult EventWaitOp::verify() {
  if (static_cast<int64_t>(getEvent()) < 0)
    return emitOpError("has a negative event number");
  return success();
}

LogicalResult ContractionOp::verify() {
  auto a = cast<MemRefType>(getA().getType());
  auto b = cast<MemRefType>(getB().getType());
  auto c = cast<MemRefType>(getC().getType());
  Type element = a.getElementType();
  int64_t rank = a.getRank();
  if (b.getElementType() != element || c.getElementType() != element ||
      !(element.isF32() || element.isF64()))
    return emitOpError("expects one element type, f32 or f64");
  if (rank < 2 || b.getRank() != rank || c.getRank() != rank ||
      !a.hasStaticShape() || !b.hasStaticShape() || !c.hasStaticShape())
    return emitOpError("expects static views of one rank, at least 2");
  ArrayRef<int64_t> batch = a.getShape().drop_back(2);
  auto [m, k] = std::pair(a.getDimSize(rank - 2), a.getDimSize(rank - 1));
  auto [kb, n] = std::pair(b.getDimSize(rank - 2), b.getDimSize(rank - 1));
  if (getTransposeA())
    std::swap(m, k);
  if (getTransposeB())
    std::swap(kb, n);
  if (b.getShape().drop_back(2) != batch ||
      c.getShape().drop_back(2) != batch || k != kb ||
      c.getDimSize(rank - 2) != m || c.getDimSize(rank - 1) != n)
    return emitOpError("has shapes that do not fit: ")
           << a << " times " << b << " into " << c;
  return success();
}

static LogicalResult verifySameElement(Operation *op, MemRefType source,
                                       MemRefType destination) {
  if (source.getElementType() != destination.getElementType())
    return op->emitOpError("expects equal element types, not ")
           << source << " and " << destination;
  return success();
}

/// What is joined stands behind one of its kind, with nothing but views
/// between.
template <typename OpTy> static LogicalResult verifyJoined(OpTy op) {
  if (!op.getJoined())
    return success();
  Operation *before = op->getPrevNode();
  while (before && isa<ViewOpInterface>(before))
    before = before->getPrevNode();
  auto other = dyn_cast_if_present<OpTy>(before);
  if (other && op.getGroupAttr() && other.getGroupAttr() &&
      op.getStream() == other.getStream())
    return success();
  return op.emitOpError("is joined, but the operation before it is none of its "
                        "kind with a group, on its stream");
}

LogicalResult AllGatherOp::verify() {
  if (failed(verifyJoined(*this)))
    return failure();
  auto source = cast<MemRefType>(getSource().getType());
  auto destination = cast<MemRefType>(getDestination().getType());
  if (failed(verifySameElement(*this, source, destination)))
    return failure();
  if (getGroup()) {
    if (!isOneDynamicDim(source))
      return emitOpError("gathers shards memref<?xT>, not ") << source;
    if (!isOneDynamicDim(destination) && !destination.hasStaticShape())
      return emitOpError("cannot gather shards into ") << destination;
    return success();
  }
  if (!source.hasStaticShape() || destination.getRank() != 2 ||
      !destination.isDynamicDim(0) || destination.isDynamicDim(1) ||
      destination.getDimSize(1) != source.getNumElements())
    return emitOpError("expects a static source and rows of its size, not ")
           << source << " and " << destination;
  return success();
}

LogicalResult AllToAllOp::verify() {
  if (failed(verifyJoined(*this)))
    return failure();
  auto source = cast<MemRefType>(getSource().getType());
  auto destination = cast<MemRefType>(getDestination().getType());
  if (failed(verifySameElement(*this, source, destination)))
    return failure();
  if (!isOneDynamicDim(source) && !source.hasStaticShape())
    return emitOpError("cannot send ") << source;
  if (destination.getRank() != 2 || destination.getNumDynamicDims() != 2)
    return emitOpError("receives into memref<?x?xT>, not ") << destination;
  return success();
}
