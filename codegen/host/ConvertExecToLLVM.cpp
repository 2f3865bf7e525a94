#include "codegen/host/Passes.h"
#include "codegen/host/RuntimeCalls.h"
#include "codegen/kernel/Kernel.h"
#include "dialects/exec/ExecOps.h"
#include "runtime/abi/dsrt.h"

#include "llvm/ADT/TypeSwitch.h"

namespace dsc {
#define GEN_PASS_DEF_CONVERTEXECTOLLVMPASS
#include "codegen/host/Passes.h.inc"
} // namespace dsc

using namespace mlir;
using namespace dsc;

namespace {

/// What a view is at run time: where it begins, and an extent for each `?`.
struct View {
  Value pointer;
  SmallVector<Value, 2> extents;
};

/// Writes one program as a function.
class ProgramWriter {
public:
  ProgramWriter(exec::ProgramOp program, SymbolTable &symbols,
                size_t longestBody)
      : program(program), symbols(symbols), longestBody(longestBody),
        calls(symbols), builder(program.getContext()), loc(program.getLoc()),
        pointer(LLVM::LLVMPointerType::get(program.getContext())) {}

  LogicalResult write();

private:
  // Views.
  View write(exec::InputOp op);
  View write(exec::ArenaViewOp op);
  View write(exec::StateViewOp op);
  View write(exec::PartViewOp op);
  View write(exec::ShardViewOp op);
  View write(exec::FlatViewOp op);
  View write(exec::RangeViewOp op);
  View write(exec::StagingViewOp op);
  // Calls.
  LogicalResult write(exec::LaunchOp op);
  LogicalResult write(exec::ContractionOp op);
  LogicalResult write(exec::CopyOp op);
  LogicalResult write(exec::FillZeroOp op);
  LogicalResult write(exec::AllGatherOp op);
  LogicalResult write(exec::AllToAllOp op);
  LogicalResult write(exec::EventRecordOp op);
  LogicalResult write(exec::EventWaitOp op);

  Value call(StringRef name, ValueRange arguments) {
    SmallVector<Value> all{context};
    llvm::append_range(all, arguments);
    return calls.call(builder, loc, name, all);
  }
  Value i32(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                    builder.getI32IntegerAttr(value));
  }
  Value i64(int64_t value) {
    return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                    builder.getI64IntegerAttr(value));
  }
  Value multiply(Value a, Value b) {
    return LLVM::MulOp::create(builder, loc, a, b);
  }
  Value stream(exec::Stream stream) { return i32(static_cast<int>(stream)); }
  Value stateIndex(FlatSymbolRefAttr state) {
    return i32(symbols.lookup<exec::StateOp>(state.getValue()).getIndex());
  }
  Value groupIndex(FlatSymbolRefAttr group) {
    return i32(symbols.lookup<exec::GroupOp>(group.getValue()).getIndex());
  }
  Value worldSize() {
    return LLVM::ZExtOp::create(builder, loc, builder.getI64Type(),
                                call("dsrt_world_size", {}));
  }
  Value rank() {
    return LLVM::ZExtOp::create(builder, loc, builder.getI64Type(),
                                call("dsrt_rank", {}));
  }
  /// `count`, or none on a rank without peers.
  Value withPeers(Value count) {
    Value isAlone = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                         worldSize(), i64(1));
    return LLVM::SelectOp::create(builder, loc, isAlone, i64(0), count);
  }
  const View &viewOf(Value value);
  Value extentOf(Value view, unsigned dim);
  Value bytesOf(Value view);
  Value gridOf(exec::LaunchOp launch, Operation *kernel);
  Value describeContraction(exec::ContractionOp op);
  void reserveSlots(ArrayRef<Operation *> ops);
  LLVM::LLVMFuncOp createFunction(const Twine &suffix, LLVM::Linkage linkage);
  LogicalResult write(Operation *op);
  LogicalResult writeBody(LLVM::LLVMFuncOp function, ArrayRef<Operation *> ops);

  exec::ProgramOp program;
  SymbolTable &symbols;
  /// Operations of one function, at most.
  size_t longestBody;
  RuntimeCalls calls;
  OpBuilder builder;
  Location loc;
  Type pointer;
  Value context;
  /// Where launches put their arguments, large enough for each of them.
  Value slots;
  /// Views that the current operation has written.
  DenseMap<Value, View> views;
};

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

View ProgramWriter::write(exec::InputOp op) {
  return {call("dsrt_input", i32(op.getIndex())), {}};
}

View ProgramWriter::write(exec::ArenaViewOp op) {
  View view;
  view.pointer = LLVM::GEPOp::create(
      builder, loc, pointer, builder.getI8Type(), call("dsrt_arena", {}),
      ValueRange{i64(op.getOffset())}, LLVM::GEPNoWrapFlags::inbounds);
  if (FlatSymbolRefAttr state = op.getPartOfAttr())
    view.extents.push_back(call("dsrt_part_elements", stateIndex(state)));
  return view;
}

View ProgramWriter::write(exec::StateViewOp op) {
  return {call("dsrt_state", stateIndex(op.getStateAttr())), {}};
}

View ProgramWriter::write(exec::PartViewOp op) {
  Value state = stateIndex(op.getStateAttr());
  return {call("dsrt_part", state), {call("dsrt_part_elements", state)}};
}

View ProgramWriter::write(exec::ShardViewOp op) {
  Value state = stateIndex(op.getStateAttr());
  return {call("dsrt_shard", state), {call("dsrt_shard_elements", state)}};
}

View ProgramWriter::write(exec::FlatViewOp op) {
  Value state = stateIndex(op.getStateAttr());
  return {call("dsrt_state", state), {call("dsrt_flat_elements", state)}};
}

View ProgramWriter::write(exec::RangeViewOp op) {
  Value array = write(op.getArray().getDefiningOp<exec::ArenaViewOp>()).pointer;
  Value state = stateIndex(op.getStateAttr());
  Type elementType = cast<MemRefType>(op.getView().getType()).getElementType();
  Value begin = LLVM::GEPOp::create(builder, loc, pointer, elementType, array,
                                    call("dsrt_shard_begin", state),
                                    LLVM::GEPNoWrapFlags::inbounds);
  return {begin, {call("dsrt_shard_elements", state)}};
}

View ProgramWriter::write(exec::StagingViewOp op) {
  Value slices = call("dsrt_state", stateIndex(op.getStateAttr()));
  FlatSymbolRefAttr of = op.getOfAttr();
  if (!of)
    return {slices, {worldSize()}};
  Value elements = call("dsrt_shard_elements", stateIndex(of));
  if (op.getBelow())
    return {slices, {rank(), elements}};
  if (!op.getAbove())
    return {slices, {worldSize(), elements}};
  Value next = LLVM::AddOp::create(builder, loc, rank(), i64(1));
  Type elementType = cast<MemRefType>(op.getView().getType()).getElementType();
  Value above = LLVM::GEPOp::create(builder, loc, pointer, elementType, slices,
                                    multiply(next, elements),
                                    LLVM::GEPNoWrapFlags::inbounds);
  return {above,
          {LLVM::SubOp::create(builder, loc, worldSize(), next), elements}};
}

/// What a view is, written anew by each operation that uses it. A pointer that
/// is kept from the first use to the last lives across thousands of calls in a
/// deep model, for which a register allocator takes quadratic time.
const View &ProgramWriter::viewOf(Value value) {
  auto [it, isNew] = views.try_emplace(value);
  if (isNew)
    it->second =
        llvm::TypeSwitch<Operation *, View>(value.getDefiningOp())
            .Case<exec::InputOp, exec::ArenaViewOp, exec::StateViewOp,
                  exec::PartViewOp, exec::ShardViewOp, exec::FlatViewOp,
                  exec::RangeViewOp, exec::StagingViewOp>(
                [&](auto view) { return write(view); });
  return it->second;
}

/// The extent of a dimension, whether known now or at run time.
Value ProgramWriter::extentOf(Value view, unsigned dim) {
  auto type = cast<MemRefType>(view.getType());
  return type.isDynamicDim(dim)
             ? viewOf(view).extents[type.getDynamicDimIndex(dim)]
             : i64(type.getDimSize(dim));
}

Value ProgramWriter::bytesOf(Value view) {
  auto type = cast<MemRefType>(view.getType());
  int64_t bytes = exec::getElementBytes(type.getElementType());
  for (int64_t extent : type.getShape())
    if (!ShapedType::isDynamic(extent))
      bytes *= extent;
  Value result = i64(bytes);
  for (Value extent : viewOf(view).extents)
    result = multiply(result, extent);
  return result;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Views that have slots: operands, then results with a buffer of their own.
SmallVector<Value> getSlotViews(exec::LaunchOp launch, Operation *kernel) {
  SmallVector<Value> result(launch.getIns());
  auto inplace =
      kernel->getAttrOfType<DenseI64ArrayAttr>(dsc::kernel::kInplace);
  for (auto [index, out] : llvm::enumerate(launch.getOuts()))
    if (!inplace || inplace[index] < 0)
      result.push_back(out);
  return result;
}

unsigned countSlots(ValueRange views) {
  unsigned count = 0;
  for (Value view : views)
    count += 1 + cast<MemRefType>(view.getType()).getNumDynamicDims();
  return count;
}

void ProgramWriter::reserveSlots(ArrayRef<Operation *> ops) {
  unsigned most = 1;
  for (Operation *op : ops)
    if (auto launch = dyn_cast<exec::LaunchOp>(op))
      most = std::max(most, countSlots(launch.getIns()) +
                                countSlots(launch.getOuts()));
  slots = LLVM::AllocaOp::create(builder, loc, pointer, pointer, i64(most));
}

/// ceil(units / grain)
Value ProgramWriter::gridOf(exec::LaunchOp launch, Operation *kernel) {
  int64_t grain = cast<IntegerAttr>(kernel->getAttr(kernel::kGrain)).getInt();
  if (auto units = kernel->getAttrOfType<IntegerAttr>(kernel::kUnits))
    return i64(llvm::divideCeil(units.getInt(), grain));
  auto from = kernel->getAttrOfType<DenseI64ArrayAttr>(kernel::kUnitsFrom);
  Value units = extentOf(launch.getIns()[from[0]], from[1]);
  Value rounded = LLVM::AddOp::create(builder, loc, units, i64(grain - 1));
  return LLVM::UDivOp::create(builder, loc, rounded, i64(grain));
}

LogicalResult ProgramWriter::write(exec::LaunchOp op) {
  Operation *kernel = symbols.lookup(op.getKernel());
  if (!isa_and_nonnull<LLVM::LLVMFuncOp>(kernel) ||
      !kernel->hasAttr(kernel::kGrain))
    return op.emitOpError("launches ")
           << op.getKernelAttr()
           << ", which is no wrapped kernel; run host-wrap-kernels first";
  int32_t count = 0;
  auto addSlot = [&](Value value) {
    Value slot = LLVM::GEPOp::create(builder, loc, pointer, pointer, slots,
                                     ArrayRef<LLVM::GEPArg>{count++});
    LLVM::StoreOp::create(builder, loc, value, slot);
  };
  for (Value view : getSlotViews(op, kernel)) {
    addSlot(viewOf(view).pointer);
    for (Value extent : viewOf(view).extents)
      addSlot(extent);
  }
  if (op.getStream() != exec::Stream::Compute &&
      count > DSRT_MAX_QUEUED_ARGUMENTS)
    return op.emitOpError("passes ")
           << count
           << " slots to a kernel on a stream on which the runtime takes "
           << int(DSRT_MAX_QUEUED_ARGUMENTS);
  Value function =
      LLVM::AddressOfOp::create(builder, loc, pointer, op.getKernelAttr());
  Value grid = gridOf(op, kernel);
  call("dsrt_launch", {stream(op.getStream()), function, slots, i32(count),
                       op.getPeersOnly() ? withPeers(grid) : grid});
  return success();
}

//===----------------------------------------------------------------------===//
// Library calls, copies, events
//===----------------------------------------------------------------------===//

/// A constant dsrt_contraction_desc, one for each distinct contraction.
Value ProgramWriter::describeContraction(exec::ContractionOp op) {
  auto a = cast<MemRefType>(op.getA().getType());
  auto c = cast<MemRefType>(op.getC().getType());
  unsigned rank = c.getRank();
  int64_t batch = 1;
  for (int64_t extent : c.getShape().drop_back(2))
    batch *= extent;
  int32_t head[] = {c.getElementType().isF64() ? 2 : 1, op.getTransposeA(),
                    op.getTransposeB(), op.getAccumulate()};
  int64_t tail[] = {batch, c.getDimSize(rank - 2), c.getDimSize(rank - 1),
                    a.getDimSize(op.getTransposeA() ? rank - 2 : rank - 1)};
  std::string name = "dsc_contraction";
  for (int32_t value : head)
    name += "_" + std::to_string(value);
  for (int64_t value : tail)
    name += "_" + std::to_string(value);

  Type half = builder.getI32Type(), whole = builder.getI64Type();
  auto type = LLVM::LLVMStructType::getLiteral(
      builder.getContext(),
      {half, half, half, half, whole, whole, whole, whole});
  if (!symbols.lookup(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.clearInsertionPoint();
    auto global =
        LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                               LLVM::Linkage::Internal, name, Attribute());
    symbols.insert(global, program->getBlock()->begin());
    builder.createBlock(&global.getInitializerRegion());
    Value value = LLVM::UndefOp::create(builder, loc, type);
    for (unsigned i = 0; i < 8; ++i)
      value = LLVM::InsertValueOp::create(
          builder, loc, value, i < 4 ? i32(head[i]) : i64(tail[i - 4]), i);
    LLVM::ReturnOp::create(builder, loc, value);
  }
  return LLVM::AddressOfOp::create(builder, loc, pointer, name);
}

LogicalResult ProgramWriter::write(exec::ContractionOp op) {
  call("dsrt_contraction",
       {stream(op.getStream()), describeContraction(op),
        viewOf(op.getA()).pointer, viewOf(op.getB()).pointer,
        viewOf(op.getC()).pointer});
  return success();
}

LogicalResult ProgramWriter::write(exec::CopyOp op) {
  call("dsrt_copy",
       {stream(op.getStream()), viewOf(op.getDestination()).pointer,
        viewOf(op.getSource()).pointer, bytesOf(op.getSource())});
  return success();
}

LogicalResult ProgramWriter::write(exec::FillZeroOp op) {
  call("dsrt_fill_zero",
       {stream(op.getStream()), viewOf(op.getDestination()).pointer,
        bytesOf(op.getDestination())});
  return success();
}

LogicalResult ProgramWriter::write(exec::EventRecordOp op) {
  if (op.getEvent() >= DSRT_MAX_EVENTS)
    return op.emitOpError("is more than the ")
           << int(DSRT_MAX_EVENTS)
           << " events that the runtime has for the exchanges of an entry "
              "point";
  call("dsrt_event_record", {stream(op.getStream()), i32(op.getEvent())});
  return success();
}

LogicalResult ProgramWriter::write(exec::EventWaitOp op) {
  call("dsrt_event_wait", {stream(op.getStream()), i32(op.getEvent())});
  return success();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Whether the next call is of the same message.
template <typename OpTy> bool hasMore(OpTy op) {
  Operation *next = op->getNextNode();
  while (isa_and_present<exec::ViewOpInterface>(next))
    next = next->getNextNode();
  auto other = dyn_cast_if_present<OpTy>(next);
  return other && other.getJoined();
}

LogicalResult ProgramWriter::write(exec::AllGatherOp op) {
  Value source = viewOf(op.getSource()).pointer;
  Value destination = viewOf(op.getDestination()).pointer;
  if (FlatSymbolRefAttr group = op.getGroupAttr())
    call("dsrt_all_gather", {stream(op.getStream()), groupIndex(group), source,
                             destination, i32(hasMore(op))});
  else
    call("dsrt_all_gather_bytes", {stream(op.getStream()), source, destination,
                                   bytesOf(op.getSource())});
  return success();
}

LogicalResult ProgramWriter::write(exec::AllToAllOp op) {
  call("dsrt_all_to_all",
       {stream(op.getStream()), groupIndex(op.getGroupAttr()),
        viewOf(op.getSource()).pointer, viewOf(op.getDestination()).pointer,
        i32(hasMore(op))});
  return success();
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp ProgramWriter::createFunction(const Twine &suffix,
                                               LLVM::Linkage linkage) {
  auto function = LLVM::LLVMFuncOp::create(
      builder, program.getLoc(),
      ("dsc_entry_" + program.getSymName() + suffix).str(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer}),
      linkage);
  // There is nothing to optimise in a list of calls, and the optimiser takes
  // more than linear time to find that out.
  function.setNoInline(true);
  function.setOptimizeNone(true);
  return function;
}

LogicalResult ProgramWriter::write(Operation *op) {
  loc = op->getLoc();
  views.clear();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<exec::LaunchOp, exec::ContractionOp, exec::CopyOp, exec::FillZeroOp,
            exec::AllGatherOp, exec::AllToAllOp, exec::EventRecordOp,
            exec::EventWaitOp>([&](auto typed) { return write(typed); })
      .Default([](Operation *other) {
        return other->emitOpError("has no counterpart in the runtime");
      });
}

LogicalResult ProgramWriter::writeBody(LLVM::LLVMFuncOp function,
                                       ArrayRef<Operation *> ops) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  context = function.getArgument(0);
  reserveSlots(ops);
  for (Operation *op : ops)
    if (failed(write(op)))
      return failure();
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return success();
}

LogicalResult ProgramWriter::write() {
  // Views are written where they are used.
  SmallVector<Operation *> ops;
  for (Operation &op : program.getBody().front().without_terminator())
    if (!isa<exec::ViewOpInterface>(op))
      ops.push_back(&op);

  builder.setInsertionPoint(program);
  if (ops.size() <= longestBody)
    return writeBody(createFunction("", LLVM::Linkage::External), ops);

  SmallVector<LLVM::LLVMFuncOp> parts;
  for (ArrayRef<Operation *> rest = ops; !rest.empty();) {
    ArrayRef<Operation *> part = rest.take_front(longestBody);
    rest = rest.drop_front(part.size());
    parts.push_back(
        createFunction("_part" + Twine(parts.size()), LLVM::Linkage::Internal));
    if (failed(writeBody(parts.back(), part)))
      return failure();
  }
  loc = program.getLoc();
  LLVM::LLVMFuncOp entry = createFunction("", LLVM::Linkage::External);
  builder.setInsertionPointToStart(entry.addEntryBlock(builder));
  for (LLVM::LLVMFuncOp part : parts)
    LLVM::CallOp::create(builder, loc, part, entry.getArgument(0));
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return success();
}

struct ConvertExecToLLVM
    : public dsc::impl::ConvertExecToLLVMPassBase<ConvertExecToLLVM> {
  using ConvertExecToLLVMPassBase::ConvertExecToLLVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    size_t longest = std::max(1u, longestBody.getValue());
    for (auto program : module.getOps<exec::ProgramOp>())
      if (failed(ProgramWriter(program, symbols, longest).write()))
        return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<exec::ExecDialect>(op.getDialect()))
        op.erase();
    // What kernels said to their launches is said.
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      for (NamedAttribute attribute :
           llvm::to_vector(function->getDiscardableAttrs()))
        if (attribute.getName().strref().starts_with("exec."))
          function->removeAttr(attribute.getName());
  }
};

} // namespace
