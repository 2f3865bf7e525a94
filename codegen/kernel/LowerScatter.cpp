#include "codegen/kernel/Kernel.h"
#include "codegen/kernel/Passes.h"
#include "dialects/nn/NnOps.h"

namespace dsc {
#define GEN_PASS_DEF_LOWERSCATTERPASS
#include "codegen/kernel/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using dsc::nn::ScatterAddOp;

namespace {

/// Tiles of rows, at most. A tile walks all indices, so that many of them cost,
/// and few leave threads without work.
constexpr int64_t kMaxTiles = 64;

/// Writes a kernel that is one nn.scatter_add on buffers. A tile owns some rows
/// of the result and adds, in the order of the indices, what belongs there.
class ScatterWriter {
public:
  /// `start` is what the rows hold before: the argument that the result
  /// overwrites, or null for zeros.
  ScatterWriter(func::FuncOp function, ScatterAddOp scatter,
                BlockArgument start)
      : function(function), scatter(scatter), start(start),
        builder(function.getContext()), loc(function.getLoc()) {}

  void write();

private:
  using Body = llvm::function_ref<void(Value index)>;

  Block *createEntry();
  void loop(Value begin, Value end, Body body);
  void zeroRows(Value begin, Value end);
  void addRow(Value index, Value row, Value end);
  /// `buffer` as a vector of rows, or of single elements.
  Value flatten(Value buffer, int64_t leading);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  func::FuncOp function;
  ScatterAddOp scatter;
  BlockArgument start;
  OpBuilder builder;
  Location loc;
  int64_t rowSize = 1;
  Value indices, updates, result;
};

MemRefType getBufferType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Arguments as buffers, the result's unless it overwrites one, a grid range.
Block *ScatterWriter::createEntry() {
  Block *old = &function.front();
  SmallVector<Type> types;
  for (Type type : function.getArgumentTypes())
    types.push_back(getBufferType(type));
  if (!start)
    types.push_back(getBufferType(scatter.getType()));
  types.append(2, builder.getIndexType());
  Block *entry =
      builder.createBlock(old, types, SmallVector<Location>(types.size(), loc));
  auto bufferOf = [&](Value value) {
    return entry->getArgument(cast<BlockArgument>(value).getArgNumber());
  };
  int64_t rank = scatter.getIndices().getType().getRank();
  indices = flatten(bufferOf(scatter.getIndices()), rank);
  updates = flatten(bufferOf(scatter.getUpdates()), rank);
  result = flatten(start ? bufferOf(start)
                         : Value(entry->getArgument(old->getNumArguments())),
                   1);
  function.setType(builder.getFunctionType(types, {}));
  function.removeResAttrsAttr();
  function.removeArgAttrsAttr();
  return entry;
}

/// A buffer whose first `leading` dimensions are one, and the others another.
Value ScatterWriter::flatten(Value buffer, int64_t leading) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t rank = type.getRank();
  // Dimensions of extent 1 come from nothing.
  auto extend = [&](ArrayRef<ReassociationIndices> groups,
                    ArrayRef<int64_t> shape) -> Value {
    return memref::ExpandShapeOp::create(builder, loc, shape, buffer, groups)
        .getResult();
  };
  SmallVector<ReassociationIndices> groups;
  auto addGroup = [&](int64_t begin, int64_t end) {
    if (begin < end)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(begin, end)));
  };
  addGroup(0, leading);
  addGroup(leading, rank);
  if (int64_t(groups.size()) < rank)
    buffer = memref::CollapseShapeOp::create(builder, loc, buffer, groups);
  if (rank == 0)
    return extend({}, {1, 1});
  type = cast<MemRefType>(buffer.getType());
  ReassociationIndices both = {0, 1};
  if (leading == 0)
    return extend(both, {1, type.getDimSize(0)});
  if (leading == rank)
    return extend(both, {type.getDimSize(0), 1});
  return buffer;
}

void ScatterWriter::loop(Value begin, Value end, Body body) {
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(builder, loc, begin, end, constant(1));
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void ScatterWriter::zeroRows(Value begin, Value end) {
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(scatter.getType().getElementType()));
  Value first = constant(0), last = constant(rowSize);
  loop(begin, end, [&](Value row) {
    loop(first, last, [&](Value column) {
      memref::StoreOp::create(builder, loc, zero, result,
                              ValueRange{row, column});
    });
  });
}

/// Adds update `index` to row `row`.
void ScatterWriter::addRow(Value index, Value row, Value end) {
  loop(constant(0), end, [&](Value column) {
    Value update = memref::LoadOp::create(builder, loc, updates,
                                          ValueRange{index, column});
    Value sum =
        memref::LoadOp::create(builder, loc, result, ValueRange{row, column});
    if (isa<FloatType>(sum.getType()))
      sum = arith::AddFOp::create(builder, loc, sum, update);
    else
      sum = arith::AddIOp::create(builder, loc, sum, update);
    memref::StoreOp::create(builder, loc, sum, result, ValueRange{row, column});
  });
}

void ScatterWriter::write() {
  Block *old = &function.front();
  Block *entry = createEntry();
  int64_t rows = scatter.getType().getDimSize(0);
  rowSize = cast<MemRefType>(result.getType()).getDimSize(1);
  int64_t grain = std::max<int64_t>(llvm::divideCeil(rows, kMaxTiles), 1);
  int64_t count = cast<MemRefType>(indices.getType()).getDimSize(0);

  builder.setInsertionPointToEnd(entry);
  unsigned last = entry->getNumArguments();
  Value units = constant(rows);
  Value first = arith::MulIOp::create(
      builder, loc, entry->getArgument(last - 2), constant(grain));
  Value end = arith::MulIOp::create(builder, loc, entry->getArgument(last - 1),
                                    constant(grain));
  end = arith::MinSIOp::create(builder, loc, end, units);
  if (!start)
    zeroRows(first, end);
  Value zero = constant(0), width = constant(rowSize);
  loop(zero, constant(count), [&](Value index) {
    Value place =
        memref::LoadOp::create(builder, loc, indices, ValueRange{index, zero});
    Value row =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), place);
    Value fromEnd = arith::AddIOp::create(builder, loc, row, units);
    Value isNegative = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, row, zero);
    row = arith::SelectOp::create(builder, loc, isNegative, fromEnd, row);
    // Rows of other tiles, and of none, are no work of this one.
    Value isBehind = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sge, row, first);
    Value isBefore = arith::CmpIOp::create(builder, loc,
                                           arith::CmpIPredicate::slt, row, end);
    Value isOwn = arith::AndIOp::create(builder, loc, isBehind, isBefore);
    addRow(index, row,
           arith::SelectOp::create(builder, loc, isOwn, width, zero));
  });
  func::ReturnOp::create(builder, loc);
  old->dropAllReferences();
  old->erase();
  function->setAttr(dsc::kernel::kUnits, builder.getI64IntegerAttr(rows));
  function->setAttr(dsc::kernel::kGrain, builder.getI64IntegerAttr(grain));
}

struct LowerScatter : public dsc::impl::LowerScatterPassBase<LowerScatter> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto kind = function->getAttrOfType<StringAttr>(dsc::kernel::kKind);
    if (!dsc::kernel::isKernel(function) || !kind ||
        kind.getValue() != "scatter")
      return;
    auto scatter = dyn_cast<ScatterAddOp>(function.front().front());
    if (!scatter || !scatter.getType().hasStaticShape() ||
        !llvm::all_of(scatter->getOperands(), llvm::IsaPred<BlockArgument>))
      return signalUnsupported();
    BlockArgument start;
    Operation *next = scatter->getNextNode();
    if (auto add = dyn_cast<dsc::nn::AddOp>(next)) {
      start = dyn_cast<BlockArgument>(add.getLhs());
      if (!start || add.getRhs() != scatter.getResult() ||
          dsc::kernel::getInplaceOperand(function, 0) !=
              int64_t(start.getArgNumber()))
        return signalUnsupported();
      next = add->getNextNode();
    }
    if (!isa<func::ReturnOp>(next) || next->getNumOperands() != 1)
      return signalUnsupported();
    ScatterWriter(function, scatter, start).write();
  }

  void signalUnsupported() {
    getOperation().emitError("a kernel of kind 'scatter' is one "
                             "nn.scatter_add of its arguments, and at most "
                             "nn.add to the argument that it overwrites");
    signalPassFailure();
  }
};

} // namespace
