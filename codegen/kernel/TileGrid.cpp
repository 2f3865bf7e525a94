#include "codegen/kernel/GridPlan.h"
#include "codegen/kernel/Kernel.h"
#include "codegen/kernel/Passes.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"

namespace dsc {
#define GEN_PASS_DEF_TILEGRIDPASS
#include "codegen/kernel/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using dsc::GridPlan;
using dsc::isReshape;
using linalg::LinalgOp;

namespace {

/// Larger tables belong into a parameter, not into code.
constexpr int64_t kMaxConstantElements = 1024;
constexpr int64_t kCacheLine = 64;

MemRefType getBufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// The part of the cut dimension that the nests being emitted work on.
struct Tile {
  OpFoldResult offset;
  OpFoldResult size;
};

/// Writes the body of one kernel anew, on buffers.
class KernelWriter {
public:
  KernelWriter(func::FuncOp function, GridPlan plan)
      : function(function), plan(std::move(plan)), old(&function.front()),
        builder(function.getContext()), loc(function.getLoc()) {}

  LogicalResult write();

private:
  LogicalResult checkInplace(unsigned index, unsigned operand);
  void createEntry();
  void bindShape(tensor::EmptyOp empty);
  LogicalResult bindSources();
  void bindDestinations();
  LogicalResult bindConstant(arith::ConstantOp constant, ElementsAttr elements);
  LogicalResult writeGrid(ArrayRef<LinalgOp> inside);
  LogicalResult writeSequence(ArrayRef<LinalgOp> inside);
  LogicalResult writeNests(ArrayRef<LinalgOp> nests, std::optional<Tile> tile);
  FailureOr<Value> getResultBuffer(OpResult result, std::optional<Tile> tile);
  FailureOr<Value> getScratch(OpResult result, std::optional<unsigned> position,
                              std::optional<Tile> tile);
  Value getOperandBuffer(LinalgOp nest, OpOperand &operand,
                         std::optional<Tile> tile);
  Value slice(Value buffer, unsigned position, const Tile &tile,
              OpFoldResult offset);
  void rebindBody(Operation *nest);
  std::optional<std::pair<unsigned, unsigned>> findUnits();
  Value getUnits();
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  /// Where in `value`, the operand or destination `operand`, the cut lies.
  std::optional<unsigned> getCutPosition(LinalgOp nest, OpOperand &operand) {
    std::optional<unsigned> dim = plan.getCutDim(nest);
    return dim ? nest.getMatchingIndexingMap(&operand).getResultPosition(
                     getAffineDimExpr(*dim, nest.getContext()))
               : std::nullopt;
  }

  func::FuncOp function;
  GridPlan plan;
  Block *old;
  Block *entry = nullptr;
  OpBuilder builder;
  Location loc;
  /// Buffers of tensors, and scalars of the new body.
  IRMapping buffers;
  /// Values whose buffer holds the current tile only.
  llvm::DenseSet<Value> tiles;
  /// Whole buffers that results, and what they start from, are written to.
  DenseMap<Value, Value> destinations;
  int64_t scratchBytes = 0;
};

/// All reads of `value` by nests, also through views and by index.
void collectReads(Value value, SmallVectorImpl<OpOperand *> &reads) {
  for (OpOperand &use : value.getUses()) {
    if (isReshape(use.getOwner()))
      collectReads(use.getOwner()->getResult(0), reads);
    else if (isa<LinalgOp, tensor::ExtractOp>(use.getOwner()))
      reads.push_back(&use);
  }
}

/// Whether `value` is an input of a nest, which then takes nothing but loop
/// extents from it.
bool isShapeOnly(tensor::EmptyOp value) {
  return llvm::any_of(value->getUses(), [](OpOperand &use) {
    auto nest = dyn_cast<LinalgOp>(use.getOwner());
    return nest && nest.isDpsInput(&use);
  });
}

/// A result may overwrite an operand if nothing reads an element of the operand
/// after the result's element was written, in any tile.
LogicalResult KernelWriter::checkInplace(unsigned index, unsigned operand) {
  Value value = old->getTerminator()->getOperand(index);
  while (isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto result = cast<OpResult>(value);
  while (LinalgOp start = dsc::getInitializer(result))
    result = cast<OpResult>(dsc::getDestination(result)->get());
  auto writer = cast<LinalgOp>(result.getOwner());
  OpOperand *destination = dsc::getDestination(result);
  SmallVector<OpOperand *> reads;
  collectReads(old->getArgument(operand), reads);
  for (OpOperand *read : reads) {
    auto reader = dyn_cast<LinalgOp>(read->getOwner());
    if (!reader) {
      InFlightDiagnostic error = function.emitError()
                                 << "result " << index
                                 << " cannot overwrite operand " << operand;
      error.attachNote(read->getOwner()->getLoc())
          << "this reads the operand at places of its own";
      return error;
    }
    bool sameElement =
        reader == writer && writer.getMatchingIndexingMap(read) ==
                                writer.getMatchingIndexingMap(destination);
    bool sameTile =
        getCutPosition(reader, *read) == getCutPosition(writer, *destination) &&
        plan.phase.lookup(reader) == plan.phase.lookup(writer);
    if (sameElement ||
        (reader != writer && reader->isBeforeInBlock(writer) && sameTile))
      continue;
    InFlightDiagnostic error = function.emitError()
                               << "result " << index
                               << " cannot overwrite operand " << operand;
    error.attachNote(reader.getLoc())
        << "this reads elements of the operand after they are overwritten";
    return error;
  }
  return success();
}

/// Replaces the signature: operands, results without a buffer yet, grid range.
void KernelWriter::createEntry() {
  SmallVector<Type> types;
  for (Type type : function.getArgumentTypes())
    types.push_back(getBufferType(type));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (dsc::kernel::getInplaceOperand(function, i) < 0)
      types.push_back(getBufferType(type));
  types.append(2, builder.getIndexType());
  entry =
      builder.createBlock(old, types, SmallVector<Location>(types.size(), loc));
  function.setType(builder.getFunctionType(types, {}));
  function.removeResAttrsAttr();
  function.removeArgAttrsAttr();
  func::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(entry->getTerminator());
}

LogicalResult KernelWriter::bindConstant(arith::ConstantOp constant,
                                         ElementsAttr elements) {
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense || dense.getNumElements() > kMaxConstantElements)
    return constant.emitError("constant of ")
           << elements.getNumElements() << " elements in a kernel; at most "
           << kMaxConstantElements << " are supported";
  Value buffer =
      memref::AllocaOp::create(builder, loc, getBufferType(constant.getType()),
                               builder.getI64IntegerAttr(kCacheLine));
  buffers.map(constant.getResult(), buffer);
  ArrayRef<int64_t> shape = dense.getType().getShape();
  SmallVector<int64_t> index(shape.size(), 0);
  for (Attribute element : dense.getValues<Attribute>()) {
    Value scalar =
        arith::ConstantOp::create(builder, loc, cast<TypedAttr>(element));
    SmallVector<Value> indices = llvm::map_to_vector(
        index, [&](int64_t i) { return this->constant(i); });
    memref::StoreOp::create(builder, loc, scalar, buffer, indices);
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      if (++index[dim] < shape[dim])
        break;
      index[dim] = 0;
    }
  }
  return success();
}

/// A buffer of the tensor's shape whose elements are all one, which is not
/// read.
void KernelWriter::bindShape(tensor::EmptyOp empty) {
  RankedTensorType type = empty.getType();
  auto element = memref::AllocaOp::create(
      builder, loc, MemRefType::get({1}, type.getElementType()));
  SmallVector<OpFoldResult> sizes;
  for (int64_t extent : type.getShape())
    sizes.push_back(builder.getIndexAttr(extent));
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(0));
  auto layout = StridedLayoutAttr::get(builder.getContext(), /*offset=*/0,
                                       SmallVector<int64_t>(sizes.size(), 0));
  buffers.map(
      empty.getResult(),
      memref::ReinterpretCastOp::create(
          builder, loc,
          MemRefType::get(type.getShape(), type.getElementType(), layout),
          element, builder.getIndexAttr(0), sizes, strides)
          .getResult());
}

/// Arguments, constants, views of either, and scalars computed from them.
LogicalResult KernelWriter::bindSources() {
  for (auto [argument, buffer] :
       llvm::zip(old->getArguments(), entry->getArguments()))
    buffers.map(argument, buffer);
  for (Operation &op : old->without_terminator()) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(op); empty && isShapeOnly(empty))
      bindShape(empty);
    if (isa<LinalgOp, tensor::EmptyOp, tensor::DimOp>(op))
      continue;
    bool bound = llvm::all_of(op.getOperands(),
                              [&](Value v) { return buffers.contains(v); });
    auto constant = dyn_cast<arith::ConstantOp>(op);
    auto elements =
        constant ? dyn_cast<ElementsAttr>(constant.getValue()) : ElementsAttr();
    if (elements) {
      if (failed(bindConstant(constant, elements)))
        return failure();
    } else if (auto global = dyn_cast<bufferization::ToTensorOp>(op);
               global && bound) {
      buffers.map(global.getResult(), buffers.lookup(global.getBuffer()));
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op);
               extract && bound) {
      SmallVector<Value> indices = llvm::map_to_vector(
          extract.getIndices(), [&](Value v) { return buffers.lookup(v); });
      buffers.map(extract.getResult(),
                  memref::LoadOp::create(builder, loc,
                                         buffers.lookup(extract.getTensor()),
                                         indices)
                      .getResult());
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
               collapse && bound) {
      buffers.map(collapse.getResult(),
                  memref::CollapseShapeOp::create(
                      builder, loc, buffers.lookup(collapse.getSrc()),
                      collapse.getReassociationIndices())
                      .getResult());
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
               expand && bound && expand.getResultType().hasStaticShape()) {
      buffers.map(expand.getResult(),
                  memref::ExpandShapeOp::create(
                      builder, loc, expand.getResultType().getShape(),
                      buffers.lookup(expand.getSrc()),
                      expand.getReassociationIndices())
                      .getResult());
    } else if (bound &&
               llvm::none_of(op.getResultTypes(), llvm::IsaPred<TensorType>)) {
      builder.clone(op, buffers);
    } else if (!isReshape(&op)) {
      return op.emitOpError("is not supported between the loops of a kernel");
    }
  }
  return success();
}

/// Results have arguments; what lies where they do gets a view of those.
void KernelWriter::bindDestinations() {
  unsigned next = old->getNumArguments();
  for (auto [i, value] : llvm::enumerate(old->getTerminator()->getOperands())) {
    int64_t operand = dsc::kernel::getInplaceOperand(function, i);
    destinations[value] =
        entry->getArgument(operand >= 0 ? unsigned(operand) : next++);
  }
  dsc::forEachDestination(function, plan, [&](Value value, Value like) {
    Value whole = destinations.lookup(like);
    auto expand = like.getDefiningOp<tensor::ExpandShapeOp>();
    auto collapse = like.getDefiningOp<tensor::CollapseShapeOp>();
    if (expand)
      whole = memref::CollapseShapeOp::create(builder, loc, whole,
                                              expand.getReassociationIndices());
    else if (collapse)
      whole = memref::ExpandShapeOp::create(
          builder, loc, collapse.getSrcType().getShape(), whole,
          collapse.getReassociationIndices());
    destinations[value] = whole;
  });
}

Value KernelWriter::slice(Value buffer, unsigned position, const Tile &tile,
                          OpFoldResult offset) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(builder, loc, buffer);
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), builder.getIndexAttr(1));
  offsets[position] = offset;
  sizes[position] = tile.size;
  return memref::SubViewOp::create(builder, loc, buffer, offsets, sizes,
                                   strides);
}

/// A stack buffer, in the entry block so that no loop makes the stack grow.
FailureOr<Value> KernelWriter::getScratch(OpResult result,
                                          std::optional<unsigned> position,
                                          std::optional<Tile> tile) {
  MemRefType type = getBufferType(result.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (position)
    shape[*position] = plan.unitByUnit ? 1 : plan.grain;
  type = MemRefType::get(shape, type.getElementType());
  if (!type.hasStaticShape())
    return result.getOwner()->emitOpError(
        "hands a tensor of unknown size to another loop nest");
  scratchBytes += type.getNumElements() *
                  llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  if (scratchBytes > GridPlan::kMaxScratchBytes)
    return result.getOwner()->emitOpError("kernel needs ")
           << scratchBytes << " bytes or more between its loop nests; at most "
           << GridPlan::kMaxScratchBytes << " are supported";
  Value buffer;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    buffer = memref::AllocaOp::create(builder, loc, type,
                                      builder.getI64IntegerAttr(kCacheLine));
  }
  if (!position || getConstantIntValue(tile->size) == shape[*position])
    return buffer;
  return slice(buffer, *position, *tile, builder.getIndexAttr(0));
}

FailureOr<Value> KernelWriter::getResultBuffer(OpResult result,
                                               std::optional<Tile> tile) {
  OpOperand *destination = dsc::getDestination(result);
  if (dsc::getInitializer(result))
    return getOperandBuffer(cast<LinalgOp>(result.getOwner()), *destination,
                            tile);
  std::optional<unsigned> position =
      tile ? getCutPosition(cast<LinalgOp>(result.getOwner()), *destination)
           : std::nullopt;
  Value whole = destinations.lookup(result);
  if (!whole)
    return getScratch(result, position, tile);
  return position ? slice(whole, *position, *tile, tile->offset) : whole;
}

Value KernelWriter::getOperandBuffer(LinalgOp nest, OpOperand &operand,
                                     std::optional<Tile> tile) {
  Value buffer = buffers.lookup(operand.get());
  std::optional<unsigned> position = getCutPosition(nest, operand);
  if (!tile || !position || tiles.contains(operand.get()))
    return buffer;
  return slice(buffer, *position, *tile, tile->offset);
}

/// The body of a nest may read sources by index; let it read their buffers.
void KernelWriter::rebindBody(Operation *nest) {
  nest->walk([&](Operation *op) {
    if (op == nest)
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      Value element = memref::LoadOp::create(
          builder, extract.getLoc(), buffers.lookup(extract.getTensor()),
          extract.getIndices());
      extract.replaceAllUsesWith(element);
      extract.erase();
      return;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (Value now = buffers.lookupOrNull(operand.get()))
        operand.set(now);
  });
}

LogicalResult KernelWriter::writeNests(ArrayRef<LinalgOp> nests,
                                       std::optional<Tile> tile) {
  for (LinalgOp nest : nests) {
    SmallVector<Value> operands(nest->getNumOperands());
    for (OpResult result : nest->getResults()) {
      FailureOr<Value> buffer = getResultBuffer(result, tile);
      if (failed(buffer))
        return failure();
      operands[dsc::getDestination(result)->getOperandNumber()] = *buffer;
      buffers.map(result, *buffer);
      // Accumulators lie whole in their buffer, as do results without a tile.
      if (tile && getCutPosition(nest, *dsc::getDestination(result)))
        tiles.insert(result);
    }
    for (OpOperand *operand : nest.getDpsInputOperands())
      operands[operand->getOperandNumber()] =
          isa<RankedTensorType>(operand->get().getType())
              ? getOperandBuffer(nest, *operand, tile)
              : buffers.lookup(operand->get());
    Operation *written = clone(builder, nest, TypeRange{}, operands);
    rebindBody(written);
    if (!tile)
      continue;
    SmallVector<OpFoldResult> offsets(nest.getNumLoops(),
                                      builder.getIndexAttr(0));
    offsets[*plan.getCutDim(nest)] = tile->offset;
    linalg::offsetIndices(builder, cast<LinalgOp>(written), offsets);
  }
  return success();
}

/// An argument and the dimension of it that the grid cuts. One that is not read
/// will do: all `?` of rank-1 arguments are the same.
std::optional<std::pair<unsigned, unsigned>> KernelWriter::findUnits() {
  for (auto nest : old->getOps<LinalgOp>())
    for (OpOperand &operand : nest->getOpOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand.get());
      std::optional<unsigned> position = getCutPosition(nest, operand);
      if (argument && position)
        return std::pair(argument.getArgNumber(), *position);
    }
  for (BlockArgument argument : old->getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (type.getRank() == 1 && type.isDynamicDim(0))
      return std::pair(argument.getArgNumber(), 0u);
  }
  return std::nullopt;
}

/// The extent of the cut dimension; the host finds it as we do, by place.
Value KernelWriter::getUnits() {
  if (!ShapedType::isDynamic(plan.units))
    return constant(plan.units);
  std::optional<std::pair<unsigned, unsigned>> place = findUnits();
  if (!place)
    return {};
  auto [argument, dim] = *place;
  function->setAttr(dsc::kernel::kUnitsFrom,
                    builder.getDenseI64ArrayAttr({argument, dim}));
  return memref::DimOp::create(builder, loc, entry->getArgument(argument), dim);
}

LogicalResult KernelWriter::writeGrid(ArrayRef<LinalgOp> inside) {
  Value units = getUnits();
  if (!units)
    return function.emitError(
        "no argument has the extent along which the kernel is cut");
  OpBuilder::InsertionGuard guard(builder);
  Value one = constant(1);
  Value grain = constant(plan.grain);
  unsigned rank = entry->getNumArguments();
  auto grid = scf::ForOp::create(builder, loc, entry->getArgument(rank - 2),
                                 entry->getArgument(rank - 1), one);
  builder.setInsertionPointToStart(grid.getBody());
  Value low =
      arith::MulIOp::create(builder, loc, grid.getInductionVar(), grain);
  bool even =
      !ShapedType::isDynamic(plan.units) && plan.units % plan.grain == 0;
  if (even && !plan.unitByUnit)
    return writeNests(inside, Tile{low, builder.getIndexAttr(plan.grain)});
  Value end = arith::AddIOp::create(builder, loc, low, grain);
  Value high =
      even ? end : arith::MinSIOp::create(builder, loc, end, units).getResult();
  if (!plan.unitByUnit) {
    Value size = arith::SubIOp::create(builder, loc, high, low);
    return writeNests(inside, Tile{low, size});
  }
  auto loop = scf::ForOp::create(builder, loc, low, high, one);
  builder.setInsertionPointToStart(loop.getBody());
  return writeNests(inside,
                    Tile{loop.getInductionVar(), builder.getIndexAttr(1)});
}

LogicalResult KernelWriter::writeSequence(ArrayRef<LinalgOp> inside) {
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(builder, loc, constant(0),
                                 constant(plan.units), constant(1));
  builder.setInsertionPointToStart(loop.getBody());
  return writeNests(inside,
                    Tile{loop.getInductionVar(), builder.getIndexAttr(1)});
}

LogicalResult KernelWriter::write() {
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    int64_t operand = dsc::kernel::getInplaceOperand(function, i);
    if (operand >= 0 && failed(checkInplace(i, operand)))
      return failure();
  }
  SmallVector<LinalgOp> before, inside, after;
  for (LinalgOp nest : old->getOps<LinalgOp>())
    switch (plan.phase.lookup(nest)) {
    case GridPlan::Phase::Before:
      before.push_back(nest);
      break;
    case GridPlan::Phase::Inside:
      inside.push_back(nest);
      break;
    case GridPlan::Phase::After:
      after.push_back(nest);
      break;
    }
  createEntry();
  if (failed(bindSources()))
    return failure();
  bindDestinations();
  if (failed(writeNests(before, std::nullopt)))
    return failure();
  bool parallel = plan.mode == GridPlan::Mode::Parallel;
  if (parallel && failed(writeGrid(inside)))
    return failure();
  if (plan.mode == GridPlan::Mode::Sequential && failed(writeSequence(inside)))
    return failure();
  if (failed(writeNests(after, std::nullopt)))
    return failure();
  old->dropAllReferences();
  old->erase();

  if (!parallel || !ShapedType::isDynamic(plan.units))
    function->setAttr(dsc::kernel::kUnits,
                      builder.getI64IntegerAttr(parallel ? plan.units : 1));
  function->setAttr(dsc::kernel::kGrain,
                    builder.getI64IntegerAttr(parallel ? plan.grain : 1));
  return success();
}

struct TileGrid : public dsc::impl::TileGridPassBase<TileGrid> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!dsc::kernel::isOnTensors(function))
      return;
    KernelWriter writer(function, dsc::planGrid(function));
    if (failed(writer.write()))
      signalPassFailure();
  }
};

} // namespace
